package claude

import (
	"cmp"

	"journal/events"
	"journal/events/text"
	"journal/journal/agents/transcript"
)

// begunUnits bounds what is told of a call that has not ended, in UTF-16 units.
const begunUnits = 500

// Said gives the agent's last words, and the newest call of the main thread that has not ended: no hook tells of it.
func (r *reader) Said() (transcript.Words, bool) {
	words, ok := r.Told.Said()
	for c := range r.uses.Each {
		if words.Call = r.begun(c); words.Call != "" {
			break
		}
	}
	return words, ok
}

// begun spells a call as its end would be told; a list of the agent's own and a subagent's call are none.
func (r *reader) begun(c call) string {
	if c.of.lane != "" {
		return ""
	}
	n := len(r.Pending)
	r.tell(c.of, c.row, "PostToolUse", c.id, member{"tool_name", c.name}, member{"tool_use_id", quote(c.id)}, member{"tool_input", c.input})
	told := r.Pending[n:]
	r.Pending = r.Pending[:n]
	if len(told) == 0 || told[0].Report.Hook.Tool == nil || told[0].Report.Hook.Tasks != nil {
		return ""
	}
	t := told[0].Report.Hook.Tool
	if t.Action == events.WriteTodos {
		return ""
	}
	about := cmp.Or(t.File, t.Query)
	if len(t.Paths) > 0 {
		about = cmp.Or(about, t.Paths[0])
	}
	return text.CutUnits(text.Line(cmp.Or(t.Command, t.Name+" "+cmp.Or(about, t.Task))), begunUnits)
}
