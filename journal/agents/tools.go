package agents

import (
	"cmp"
	"path/filepath"
	"slices"

	"journal/events"
	"journal/events/shell/failure"
	"journal/events/text"
	"journal/journal/agents/payload"
)

// This file has the parts of reading a tool call that are common to all agents.

// IsJournalCommand reports whether a command calls journal, such as `journal decide …`, and does nothing else but print. Such a
// command is no work of the agent, and is not recorded as a command.
func IsJournalCommand(command payload.Value) bool {
	return failure.Calls(command.Str(), "journal", "journal-hook")
}

// pathNames lists the names of the member with the path, in the inputs of all agents' tools for one file.
var pathNames = []string{"file_path", "absolute_path", "notebook_path", "filePath", "path"}

// replacedNames lists the names of the members with the old and the new text, in the inputs of all agents' tools that edit a file.
var replacedNames = [][2]string{{"old_string", "new_string"}, {"old_str", "new_str"}, {"oldString", "newString"}, {"oldText", "newText"}}

// SetFile records a call that reads, writes or edits one file: the file, and the texts that an edit replaced, or would have replaced if the
// person had not refused it. It takes the path from the input; a relative one counts from dir, as in Resolve. Without a path the call is
// unchanged.
func SetFile(t *events.ToolCall, dir string, action events.Action, in *Members) {
	for _, name := range pathNames {
		if path := in.Text(name); path != "" {
			t.Action, t.Paths = action, []string{Resolve(dir, path)}
			break
		}
	}
	if t.Action != events.EditFile || t.Failed && !t.Refused {
		return
	}
	for _, edit := range append([]payload.Value{in.From}, slices.Collect(in.From.Get("edits").Items())...) {
		for _, name := range replacedNames {
			if text := edit.Get(name[1]); text.Kind() == payload.String {
				t.Replaced = append(t.Replaced, events.Replaced{Path: t.Paths[0], Old: edit.Get(name[0]).Str(), New: text.Str()})
			}
		}
	}
}

// Resolve returns a path, joined to a directory if it is relative. A relative path stays so if dir is "". On every system an absolute path
// of Windows is absolute: an import may read transcripts from there.
func Resolve(dir, path string) string {
	if dir == "" || filepath.IsAbs(path) || windowsPath().MatchString(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// windowsPath matches the beginning of an absolute path of Windows.
var windowsPath = text.Pattern(`^(?:[A-Za-z]:[\\/]|\\\\)`)

// SetExit records that a command ended with an exit code other than 0. Its output becomes its error.
func SetExit(t *events.ToolCall, exit int) {
	t.Failed, t.Exit = true, exit
	t.Error, t.Output = t.Output, ""
}

// SetTodos records a new list of todos. The text of an item is the first of the named members that is not empty. An item without
// a status is pending.
func SetTodos(t *events.ToolCall, list payload.Value, names ...string) {
	t.Action, t.Todos = events.WriteTodos, []events.Todo{} // not nil: the list may be empty
	for item := range list.Items() {
		todo := events.Todo{Status: cmp.Or(item.Get("status").Str(), "pending")}
		for _, name := range names {
			todo.Text = cmp.Or(todo.Text, item.Get(name).Str())
		}
		if todo.Text != "" {
			t.Todos = append(t.Todos, todo)
		}
	}
}
