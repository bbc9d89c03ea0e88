package codex

import (
	"errors"
	"io/fs"
	"slices"

	"journal/events"
	"journal/journal/agents/transcript"
)

// watcher finds what no hook reports, in a growing rollout: the summary of a compaction, the usage of the context, the
// exit code of a failed command, calls that were refused or could not start, and the person's own commands. It uses the
// reader of imports, without what hooks report, so both make the same ids.
type watcher struct {
	*reader
	contextReader
	copies copies
	exits  []transcript.Step
}

func watch(path string) transcript.Watcher {
	w := &watcher{reader: newReader(path), copies: copies{path: path, watching: true}}
	w.Watching, w.began = true, true
	return w
}

func (w *watcher) Parse(b []byte) (steps []transcript.Step) {
	for _, own := range w.copies.take(b) {
		steps = append(steps, w.take(own)...)
	}
	return steps
}

// take reads a row of the rollout's own.
func (w *watcher) take(b []byte) []transcript.Step {
	if !transcript.Mentions(b, `"session_meta"`, `"turn_context"`, `"event_msg"`, `"response_item"`, `"compacted"`) {
		return nil // the client's own
	}
	row, err := parse(b)
	if err != nil || row.Type != "session_meta" && w.Old(row.at) {
		return nil
	}
	w.contextReader.dispatch(row)
	w.reader.dispatch(row)
	return w.late(row, w.Reported.Flush())
}

// Restarted reports the commands that ran when the previous process was killed.
func (w *watcher) Restarted() []transcript.Step {
	w.cut()
	return w.Reported.Flush()
}

// late delays exit codes until the hook of their command has ended: the model gets no result before that.
func (w *watcher) late(row row, steps []transcript.Step) []transcript.Step {
	steps = slices.DeleteFunc(steps, func(s transcript.Step) bool {
		exit := s.Report.Hook.Kind == events.CommandExit
		if exit {
			w.exits = append(w.exits, s)
		}
		return exit
	})
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

// textsKept bounds the hook texts remembered of one context. Ours comes with the first requests of a context.
const textsKept = 32

// contextReader reads the rows of a rollout in order.
type contextReader struct{ transcript.Contexts }

// dispatch handles a complete row. A compaction keeps the person's prompts and the summary; what hooks had added is gone.
func (c *contextReader) dispatch(row row) {
	p := row.Payload
	switch {
	case row.Type == "compacted":
		c.Shown++
		kept := transcript.Context{Boundary: row.id}
		for _, m := range p.History {
			kept.Prompts = append(kept.Prompts, m.text("user.text")...)
		}
		c.All = append(c.All, kept)
	case len(c.All) > 0 && p.Type == "message" && p.Speaker == "developer":
		newest := &c.All[len(c.All)-1]
		if texts := p.text("hooks.additional_context"); len(texts) > 0 && len(newest.Texts) < textsKept {
			c.Shown++
			newest.Texts = append(newest.Texts, texts...)
		}
	}
}

// lanePath returns the rollout of a subagent. It may be of another day than that of its session.
func lanePath(path, lane string) (string, error) {
	if found := rolloutOf(path, lane); found != "" {
		return found, nil
	}
	return "", fs.ErrNotExist
}

// contexts reads what a rollout shows of the contexts after its compactions, oldest first. The client may have compressed
// or archived it since.
func contexts(path, lane string) ([]transcript.Context, error) {
	var err error
	if lane != "" {
		if path, err = lanePath(path, lane); err != nil {
			return nil, err
		}
	}
	var c contextReader
	own := copies{path: path}
	take := func(b []byte) {
		for _, row := range own.take(b) {
			if row, err := parse(row); err == nil {
				c.dispatch(row)
			}
		}
	}
	err = transcript.EachRow(path, rowLimits, take)
	if moved := movedTo(path); errors.Is(err, fs.ErrNotExist) && moved != "" {
		err = transcript.EachRow(moved, rowLimits, take)
	}
	for _, row := range own.end() {
		take(row)
	}
	return c.All, err
}
