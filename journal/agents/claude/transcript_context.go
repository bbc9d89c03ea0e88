package claude

import (
	"io/fs"
	"slices"
	"strings"

	"journal/journal/agents/transcript"
)

// contextRows bounds the remembered messages before a compaction. The client keeps the newest few.
const contextRows = 1000

// contexts reads what a transcript shows of the contexts after its compactions, oldest first. It never blocks: only
// regular files are read.
func contexts(path, lane string) ([]transcript.Context, error) {
	if lane != "" {
		if !transcript.PlainID(lane) {
			return nil, fs.ErrNotExist
		}
		path = subagentPath(path, lane)
	}
	w := contextReader{lane: lane}
	err := transcript.EachRow(path, rowLimits, w.row)
	return w.All, err
}

// contextReader reads the rows of a transcript in order.
type contextReader struct {
	transcript.Contexts
	lane     string                 // the rows of a subagent's own file are its side chain
	messages map[string]keptMessage // by row id
	order    []string
	parents  map[string]string // of rows
}

// keptMessage is the part of a message that may be kept over a compaction.
type keptMessage struct {
	prompt string
	uses   []string
}

func (w *contextReader) row(b []byte) {
	if transcript.Mentions(b, `"compact_boundary"`, `"attachment"`, `"user"`, `"tool_use"`, `"parentUuid"`) && transcript.Closed(b) {
		w.dispatch(rowFields.read(b))
	}
}

// dispatch handles a complete row.
func (w *contextReader) dispatch(r row) {
	if r.uuid != "" && (!r.sidechain || w.lane != "") {
		if w.parents == nil || len(w.parents) == 8*contextRows {
			w.parents = map[string]string{}
		}
		w.parents[r.uuid] = r.parent
	}
	switch {
	case r.sidechain && w.lane == "":
	case r.subtype == "compact_boundary":
		w.boundary(r)
	case r.kind == "attachment" && len(w.All) > 0:
		w.attachment(r)
	case r.kind == "user" && !r.meta || r.kind == "assistant":
		w.message(r)
	}
}

func (w *contextReader) boundary(r row) {
	w.Shown++
	row := transcript.Context{Boundary: r.uuid}
	preserved := get(r.compact, "preservedMessages")
	kept := textsOf(get(preserved, "allUuids"))
	if len(kept) == 0 {
		kept = textsOf(get(preserved, "uuids"))
	}
	if len(kept) == 0 {
		kept = w.segment(get(r.compact, "preservedSegment"))
	}
	for _, id := range kept {
		m := w.messages[id]
		if m.prompt != "" {
			row.Prompts = append(row.Prompts, m.prompt)
		}
		row.Uses = append(row.Uses, m.uses...)
	}
	w.All = append(w.All, row)
}

// segment lists the rows from the head to the tail of a segment, along the chain of parents: older clients name only
// these two. It is nil if the chain is broken.
func (w *contextReader) segment(segment []byte) (ids []string) {
	head, id := transcript.Unquote(get(segment, "headUuid")), transcript.Unquote(get(segment, "tailUuid"))
	for range contextRows {
		parent, known := w.parents[id]
		if !known {
			return nil
		}
		ids = append(ids, id)
		if id == head {
			slices.Reverse(ids)
			return ids
		}
		id = parent
	}
	return nil
}

func (w *contextReader) attachment(r row) {
	row := &w.All[len(w.All)-1]
	member := func(name string) string { return transcript.Unquote(get(r.attachment, name)) }
	switch kind := member("type"); {
	case kind == "file" && member("filename") != "":
		w.Shown++
		row.Files = append(row.Files, member("filename"))
	case kind == "hook_additional_context" && member("hookEvent") == "SessionStart":
		w.Shown++
		for _, t := range textsOf(get(r.attachment, "content")) {
			if s, ok := spilled(t); ok {
				row.Spilled = append(row.Spilled, s)
			} else {
				row.Texts = append(row.Texts, t)
			}
		}
	}
}

// textsOf returns the texts of a JSON array.
func textsOf(array []byte) (texts []string) {
	for item := range transcript.Items(array) {
		texts = append(texts, transcript.Unquote(item))
	}
	return texts
}

// spilled reads what the client puts in place of a text over 10,000 units (docs/CLIENTS.md §6).
func spilled(text string) (transcript.Spill, bool) {
	if !strings.HasPrefix(strings.TrimSpace(text), "<persisted-output>") {
		return transcript.Spill{}, false
	}
	var s transcript.Spill
	if _, rest, ok := strings.Cut(text, "saved to: "); ok {
		s.Path, _, _ = strings.Cut(rest, "\n")
		s.Path = strings.TrimSpace(s.Path)
	}
	if _, rest, ok := strings.Cut(text, "\nPreview"); ok {
		_, rest, _ = strings.Cut(rest, "\n")
		s.Preview = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSpace(rest), "</persisted-output>"), "\n")
		s.Preview = strings.TrimSuffix(s.Preview, "...")
	}
	return s, true
}

func (w *contextReader) message(r row) {
	var m keptMessage
	for _, p := range partsOf(messageFields.read(r.message).content) {
		switch {
		case p.kind == "text" && r.kind == "user" && m.prompt == "":
			m.prompt = hookPrompt(transcript.Unquote(p.text))
		case p.kind == "tool_use" && p.id != "":
			m.uses = append(m.uses, p.id)
		case p.kind == "tool_result" && p.use != "":
			m.uses = append(m.uses, p.use)
		}
	}
	if m.prompt == "" && len(m.uses) == 0 || r.uuid == "" {
		return
	}
	if w.messages == nil {
		w.messages = map[string]keptMessage{}
	}
	if w.order = append(w.order, r.uuid); len(w.order) > contextRows {
		delete(w.messages, w.order[0])
		w.order = w.order[1:]
	}
	w.messages[r.uuid] = m
}
