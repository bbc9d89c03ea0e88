package claude

import (
	"io/fs"
	"slices"
	"strings"

	"journal/journal/agents/transcript"
)

// contextRows bounds the number of messages in contextReader, and parentRows that of rows in its parents: most rows are no messages. A
// compaction keeps only a few of the newest messages.
const (
	contextRows = 1000
	parentRows  = 8 * contextRows
)

// contexts implements transcript.Format.Contexts.
func contexts(path, lane string) ([]transcript.Context, error) {
	if lane != "" {
		if !transcript.PlainID(lane) {
			return nil, fs.ErrNotExist
		}
		path = subagentPath(path, lane)
	}
	w := contextReader{lane: lane}
	for b, err := range transcript.RowsOf(path, rowLimits) {
		if err != nil {
			return w.All, err
		}
		if transcript.Mentions(b, `"compact_boundary"`, `"attachment"`, `"user"`, `"tool_use"`, `"parentUuid"`) && transcript.Closed(b) {
			w.dispatch(rowFields.read(b))
		}
	}
	return w.All, nil
}

// contextReader finds the contexts after a transcript's compactions.
type contextReader struct {
	transcript.Contexts
	lane     string                 // the subagent whose transcript is read, "" for a session's; all its rows are marked as side chain
	messages map[string]keptMessage // the newest messages, by the uuid of the row
	order    []string               // keys of messages, oldest first
	parents  map[string]string      // parent of each row, by uuid; emptied at parentRows rows
}

// keptMessage is the part of a message that a compaction may keep: the prompt of a person, and the ids of tool calls and results.
type keptMessage struct {
	prompt string
	calls  []string
}

// dispatch handles a complete row.
func (w *contextReader) dispatch(r row) {
	if r.uuid != "" && (!r.sidechain || w.lane != "") {
		if w.parents == nil || len(w.parents) == parentRows {
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

// boundary adds the context after a compaction.
func (w *contextReader) boundary(r row) {
	w.Shown++
	context := transcript.Context{Boundary: r.uuid}
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
			context.Prompts = append(context.Prompts, m.prompt)
		}
		context.Uses = append(context.Uses, m.calls...)
	}
	w.All = append(w.All, context)
}

// segment lists the uuids of the rows of a segment, of which older clients name only the first and the last. It follows the parents
// from the last row to the first. The list is nil if a parent is unknown, or if there are more than contextRows rows.
func (w *contextReader) segment(segment []byte) (ids []string) {
	head, id := textIn(segment, "headUuid"), textIn(segment, "tailUuid")
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

// attachment adds the file or the texts of hooks in a row to the newest context.
func (w *contextReader) attachment(r row) {
	context := &w.All[len(w.All)-1]
	member := func(name string) string { return textIn(r.attachment, name) }
	switch kind := member("type"); {
	case kind == "file" && member("filename") != "":
		w.Shown++
		context.Files = append(context.Files, member("filename"))
	case kind == "hook_additional_context" && member("hookEvent") == "SessionStart":
		w.Shown++
		for _, t := range textsOf(get(r.attachment, "content")) {
			if s, ok := spilled(t); ok {
				context.Spilled = append(context.Spilled, s)
			} else {
				context.Texts = append(context.Texts, t)
			}
		}
	}
}

// textsOf returns the texts of the strings in a JSON array, and "" for other elements.
func textsOf(array []byte) (texts []string) {
	for item := range transcript.Items(array) {
		texts = append(texts, transcript.Unquote(item))
	}
	return texts
}

// spilled parses the text with which the client replaces a text of more than 10,000 units (docs/CLIENTS.md §6). It returns false for
// other texts.
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

// message records a message that a compaction may keep.
func (w *contextReader) message(r row) {
	var m keptMessage
	for _, p := range partsOf(messageFields.read(r.message).content) {
		switch {
		case p.kind == "text" && r.kind == "user" && m.prompt == "":
			m.prompt = hookPrompt(p.text)
		case p.kind == "tool_use" && p.id != "":
			m.calls = append(m.calls, p.id)
		case p.kind == "tool_result" && p.use != "":
			m.calls = append(m.calls, p.use)
		}
	}
	if m.prompt == "" && len(m.calls) == 0 || r.uuid == "" {
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
