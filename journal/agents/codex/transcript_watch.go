package codex

import (
	"bytes"
	"slices"
	"time"

	"journal/events"
	"journal/journal/agents/transcript"
)

// watcher finds what no hook tells in a rollout that grows: the summary of a compaction,
// how full the context was, the exit code of a command that failed, calls that were
// refused or could not begin, commands of the person's own. It is the reader of imports,
// told to say nothing that hooks say: one reading, and the same ids.
type watcher struct {
	reader   reader
	contexts contextReader
	since    time.Time
	exits    []transcript.Step
}

func watch() transcript.Watcher { return &watcher{reader: reader{watching: true, began: true}} }

func (w *watcher) Since(began time.Time) { w.since = began }

func (w *watcher) Context() (newest transcript.Context, told int) { return w.contexts.newest() }

func (w *watcher) Said() (transcript.Words, bool) { return w.reader.words, w.reader.words.Row != "" }

// rowKinds are those that may tell something: most others are the client's own.
var rowKinds = [][]byte{
	[]byte(`"session_meta"`), []byte(`"turn_context"`), []byte(`"event_msg"`), []byte(`"response_item"`), []byte(`"compacted"`),
}

func (w *watcher) Take(b []byte) []transcript.Step {
	if !slices.ContainsFunc(rowKinds, func(kind []byte) bool { return bytes.Contains(b, kind) }) {
		return nil
	}
	one, err := parse(b)
	if err != nil || one.at.Before(w.since) && !w.since.IsZero() && one.Type != "session_meta" {
		return nil
	}
	w.contexts.take(one)
	w.reader.take(one)
	steps := w.reader.pending
	w.reader.pending = nil
	return w.late(one, steps)
}

// late keeps exit codes back until the hook of their command has ended: the model gets
// no result before.
func (w *watcher) late(one row, steps []transcript.Step) []transcript.Step {
	steps = slices.DeleteFunc(steps, func(s transcript.Step) bool {
		exit := s.Report.Hook.Kind == events.CommandExit
		if exit {
			w.exits = append(w.exits, s)
		}
		return exit
	})
	switch one.Payload.Type {
	case "function_call_output", "custom_tool_call_output", "task_complete", "turn_aborted":
		for _, s := range w.exits {
			s.Report.Hook.At = w.reader.at.UnixNano()
			steps = append(steps, s)
		}
		w.exits = nil
	}
	return steps
}
