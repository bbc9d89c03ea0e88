package codex

import (
	"errors"
	"io/fs"

	"journal/events"
	"journal/journal/agents/transcript"
)

// watcher finds in a growing rollout the facts that no hook reports: the summary of a compaction, the usage of the context, the exit
// code of a failed command, calls that were refused or could not start, and the person's own commands. It uses the reader of
// imports, so the steps have the same ids.
type watcher struct {
	*reader
	contextReader
	copies copies
	exits  []transcript.Step // exit codes of commands whose hooks have perhaps not ended yet
}

// watch implements transcript.Format.Watch.
func watch(path string) transcript.Watcher {
	w := &watcher{reader: newReader(path), copies: copies{path: path, watching: true}}
	w.Watching, w.began = true, true
	return w
}

// Parse implements transcript.Watcher.
func (w *watcher) Parse(b []byte) (steps []transcript.Step) {
	for _, own := range w.copies.add(b) {
		steps = append(steps, w.parseOwn(own)...)
	}
	return steps
}

// parseOwn reads a row that is not a copy of the parent's.
func (w *watcher) parseOwn(b []byte) []transcript.Step {
	if !transcript.Mentions(b, `"session_meta"`, `"turn_context"`, `"event_msg"`, `"response_item"`, `"compacted"`) {
		return nil
	}
	row, err := parse(b)
	if err != nil || row.Type != "session_meta" && w.Old(row.at) {
		return nil
	}
	w.contextReader.dispatch(row)
	w.reader.dispatch(row)
	if row.Payload.Type == "task_complete" {
		w.reportNamed()
	}
	return w.delayExits(row, w.Flush())
}

// Restarted implements transcript.Watcher.
func (w *watcher) Restarted() []transcript.Step {
	w.reportKilled()
	return w.Flush()
}

// delayExits returns steps in their order, but exit codes only when the hooks of their commands must have ended: when row shows a
// result that the model has, or the end of the turn.
func (w *watcher) delayExits(row row, all []transcript.Step) (steps []transcript.Step) {
	for _, s := range all {
		if s.Report.Hook.Kind == events.CommandExit {
			w.exits = append(w.exits, s)
		} else {
			steps = append(steps, s)
		}
	}
	switch row.Payload.Type {
	case "function_call_output", "custom_tool_call_output", "task_complete", "turn_aborted":
		for _, s := range w.exits {
			s.Report.Hook.At = w.At.UnixNano()
			steps = append(steps, s)
		}
		w.exits = nil
	}
	return steps
}

// textsKept is the number of texts of hooks in a context after which no further row adds texts. The recovery text comes with the first
// requests of a context.
const textsKept = 32

// contextReader finds the contexts after a rollout's compactions.
type contextReader struct{ transcript.Contexts }

// dispatch handles a row. A compacted context has the person's prompts and the summary, but no texts of hooks.
func (c *contextReader) dispatch(row row) {
	p := row.Payload
	switch {
	case row.Type == "compacted":
		c.Shown++
		kept := transcript.Context{Boundary: row.id}
		for _, m := range p.History {
			kept.Prompts = append(kept.Prompts, m.textsOf("user.text")...)
		}
		c.All = append(c.All, kept)
	case len(c.All) > 0 && p.Type == "message" && p.Speaker == "developer":
		newest := &c.All[len(c.All)-1]
		if texts := p.textsOf("hooks.additional_context"); len(texts) > 0 && len(newest.Texts) < textsKept {
			c.Shown++
			newest.Texts = append(newest.Texts, texts...)
		}
	}
}

// lanePath implements transcript.Format.Lane.
func lanePath(path, lane string) (string, error) {
	if found := rolloutOf(path, lane); found != "" {
		return found, nil
	}
	return "", fs.ErrNotExist
}

// contexts implements transcript.Format.Contexts. The client may have compressed or archived the rollout at path.
func contexts(path, lane string) ([]transcript.Context, error) {
	var err error
	if lane != "" {
		if path, err = lanePath(path, lane); err != nil {
			return nil, err
		}
	}
	var c contextReader
	copied := copies{path: path}
	dispatch := func(rows [][]byte) {
		for _, b := range rows {
			if row, err := parse(b); err == nil {
				c.dispatch(row)
			}
		}
	}
	read := func(path string) error {
		for b, err := range transcript.RowsOf(path, rowLimits) {
			if err != nil {
				return err
			}
			dispatch(copied.add(b))
		}
		return nil
	}
	err = read(path)
	if moved := movedTo(path); errors.Is(err, fs.ErrNotExist) && moved != "" {
		err = read(moved)
	}
	dispatch(copied.end())
	return c.All, err
}
