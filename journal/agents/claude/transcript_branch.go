package claude

import (
	"hash/maphash"

	"journal/events"
	"journal/journal/agents/transcript"
)

// If the person goes back to an earlier prompt, the parent of the next prompt is not the newest row, but an older one. Other rows have
// older parents too, such as results of parallel calls, or rows after a resume. So only a prompt that does not follow the newest prompt
// takes prompts back.

// branches is the tree of the main lane's rows, reduced to its prompts.
type branches struct {
	transcript.Branches
	prompts map[uint64]int // index of the newest prompt up to each row, by the digest of the row's uuid
	origin  string         // session of the first row, if this row begins the conversation and no compaction followed; else ""
	chained bool           // a row named an earlier one as its parent: some programs write none, and then no prompt goes back
}

var uuidSeed = maphash.MakeSeed()

// digestOf returns the digest of a row's uuid.
func digestOf(uuid string) uint64 { return maphash.String(uuidSeed, uuid) }

// addRow adds a row to the tree, and reports whether the row is of the main lane and new. A row with an unknown parent, and the first
// rows of a compacted context, follow the newest prompt.
func (b *branches) addRow(row row) (fresh bool) {
	if row.uuid == "" || row.sidechain {
		return false
	}
	if b.prompts == nil {
		b.prompts = map[uint64]int{}
	}
	if _, known := b.prompts[digestOf(row.uuid)]; known {
		return false
	}
	if len(b.prompts) == 0 && row.parent == "" && row.subtype == "" {
		b.origin = row.session
	}
	prompt, known := b.prompts[digestOf(row.parent)]
	b.chained = b.chained || known
	if !known || row.subtype == "compact_boundary" || row.summary {
		prompt = b.Newest()
	}
	b.prompts[digestOf(row.uuid)] = prompt
	if row.subtype != "compact_boundary" {
		return true
	}
	b.origin = ""
	// The conversation may continue after each row that the client kept: these rows now follow the newest prompt too.
	for _, id := range preserved(row.compact) {
		if _, known := b.prompts[digestOf(id)]; known {
			b.prompts[digestOf(id)] = prompt
		}
	}
	return true
}

// preserved lists the uuids of the rows that the metadata of a compaction names as kept.
func preserved(compact []byte) (ids []string) {
	messages, segment := get(compact, "preservedMessages"), get(compact, "preservedSegment")
	ids = append(textsOf(get(messages, "allUuids")), textsOf(get(messages, "uuids"))...)
	for _, end := range []string{"headUuid", "anchorUuid", "tailUuid"} {
		ids = append(ids, textIn(segment, end))
	}
	return ids
}

// addPrompt adds a prompt of the person to the tree. If the prompt does not follow the newest one, it reports a rewind first.
func (r *reader) addPrompt(t *thread, row row, text string) {
	if !row.fresh {
		return // the client has written the row before
	}
	prompt := r.Prompt(row.uuid, "UserPromptSubmit", text)
	prompt.Turn = row.prompt
	b := &r.branches
	previous, known := b.prompts[digestOf(row.parent)]
	if row.rooted && b.chained && row.session == b.origin {
		previous, known = -1, true // the prompt is at the beginning of the conversation
	}
	if !known {
		previous = b.Newest()
	}
	if first, back := b.Back(previous); back {
		h := r.hook(t, events.Rewind)
		r.AddRewind(h, row.uuid, transcript.Rewind{First: first, Next: &prompt})
	}
	b.Add(prompt)
	b.prompts[digestOf(row.uuid)] = b.Newest()
}
