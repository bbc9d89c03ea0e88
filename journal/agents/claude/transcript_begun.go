package claude

import (
	"strings"

	"journal/events/text"
	"journal/journal/agents/transcript"
)

// begunUnits bounds what is told of a call that has not ended, in UTF-16 units.
const begunUnits = 500

// Said gives the agent's last words, and the newest call of the main thread that has not ended: no hook tells of it.
func (r *reader) Said() (transcript.Words, bool) {
	words, ok := r.Told.Said()
	for c := range r.uses.Each {
		name := transcript.Unquote(c.name)
		if c.of.lane != "" || name != "Task" && (strings.HasPrefix(name, "Task") || strings.HasPrefix(name, "Todo")) {
			continue // a subagent's, or a list of the agent's own
		}
		if words.Call = transcript.Unquote(get(c.input, "command")); name != "Bash" {
			words.Call = name
			for _, about := range []string{"file_path", "pattern", "description"} {
				words.Call = strings.TrimSpace(words.Call + " " + transcript.Unquote(get(c.input, about)))
			}
		}
		words.Call = text.CutUnits(text.Line(words.Call), begunUnits)
		break
	}
	return words, ok
}
