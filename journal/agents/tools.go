package agents

import (
	"path/filepath"

	"journal/events"
	"journal/events/shell/failure"
	"journal/journal/agents/payload"
)

// TellsJournal says whether a command is an agent's word to the journal, such as
// `journal decide …`: it is no command that worked.
func TellsJournal(command payload.Value) bool {
	return failure.Calls(command.Str(), "journal", "journal-hook")
}

// File fills in which file a call was about. Agents name it whole, or from the directory of
// the session. Without a path the call stays what it is.
func File(h *events.Hook, action events.Action, path string) {
	if path == "" {
		return
	}
	h.Tool.Action, h.Tool.Paths = action, []string{Below(h.Cwd, path)}
}

// Below gives a path as it is from a directory, which may be unknown.
func Below(dir, path string) string {
	if dir == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// Failed fills in that a command ended with an exit code other than 0: what it printed is then
// the error.
func Failed(t *events.ToolCall, exit int) {
	t.Failed, t.Exit = true, exit
	t.Error, t.Output = t.Output, ""
}

// Replaces fills in what an edit of one file changed: the input of the call has the old text and the new one under the
// names, once or in each item of "edits".
func Replaces(t *events.ToolCall, in payload.Value, old, new string) {
	if t.Failed || t.Action != events.EditFile || len(t.Paths) != 1 {
		return
	}
	add := func(v payload.Value) {
		if is := v.Get(new); is.Kind() == payload.String {
			t.Replaced = append(t.Replaced, events.Replaced{Path: t.Paths[0], Old: v.Get(old).Str(), New: is.Str()})
		}
	}
	add(in)
	for v := range in.Get("edits").Items() {
		add(v)
	}
}
