package claude

import (
	"hash/maphash"

	"journal/events"
	"journal/journal/agents/transcript"
)

// A person who goes back to an earlier prompt writes the next one behind an older row: the rows between hang on no newer
// one. Other rows branch off too, as results of parallel calls do, and a resumed session may go on before the client's
// last own rows; only a prompt that does not stand behind the newest prompt takes something back.

// branches is the tree of the main thread's rows.
type branches struct {
	transcript.Branches
	under map[uint64]int // number of the newest prompt above each row, by the digest of its uuid
	root  string         // session of the first row, if its conversation begins there and no compaction came since
}

var uuidSeed = maphash.MakeSeed()

func digestOf(uuid string) uint64 { return maphash.String(uuidSeed, uuid) }

// hang adds a row to the tree, and reports whether it is a new one. A row whose parent is unknown, and what begins a compacted context, continue what stands.
func (b *branches) hang(row row) (fresh bool) {
	if row.uuid == "" || row.sidechain {
		return false
	}
	if b.under == nil {
		b.under = map[uint64]int{}
	}
	if _, known := b.under[digestOf(row.uuid)]; known {
		return false
	}
	if len(b.under) == 0 && row.parent == "" && row.subtype == "" {
		b.root = row.session
	}
	number, known := b.under[digestOf(row.parent)]
	if !known || row.subtype == "compact_boundary" || row.summary {
		number = b.Newest()
	}
	b.under[digestOf(row.uuid)] = number
	if row.subtype != "compact_boundary" {
		return true
	}
	b.root = ""
	// Behind a compaction the conversation goes on from every row that the client kept.
	for _, id := range preserved(row.compact) {
		if _, known := b.under[digestOf(id)]; known {
			b.under[digestOf(id)] = number
		}
	}
	return true
}

// preserved lists the rows that a compaction names as kept.
func preserved(compact []byte) (ids []string) {
	messages, segment := get(compact, "preservedMessages"), get(compact, "preservedSegment")
	ids = append(textsOf(get(messages, "allUuids")), textsOf(get(messages, "uuids"))...)
	for _, end := range []string{"headUuid", "anchorUuid", "tailUuid"} {
		ids = append(ids, transcript.Unquote(get(segment, end)))
	}
	return ids
}

// branch adds a prompt of the person to the tree, and reports what it takes back.
func (r *reader) branch(t *thread, row row, text string) {
	if !row.fresh {
		return // a rewritten row
	}
	prompt := transcript.Prompt{
		ID:   transcript.Step{Row: row.uuid, What: "UserPromptSubmit"}.IDs(1)[0],
		Turn: transcript.Unquote(row.prompt), Words: transcript.WordsOf(text), At: r.when(row).UnixNano(), Place: r.Place(""),
	}
	b := &r.branches
	behind, known := b.under[digestOf(row.parent)]
	if row.rooted && row.session == b.root {
		behind, known = -1, true // the beginning
	}
	if !known {
		behind = b.Newest()
	}
	if first, back := b.Back(behind); back {
		h := r.hook(events.Rewind, r.when(row))
		h.Turn = transcript.Unquote(t.turn)
		r.Rewound(h, row.uuid, transcript.Rewind{First: first, Next: &prompt})
	}
	b.Add(prompt)
	b.under[digestOf(row.uuid)] = b.Newest()
}
