package agents

import (
	"journal/events"
	"journal/journal/agents/payload"
)

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
