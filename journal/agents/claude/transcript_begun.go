package claude

import (
	"strings"

	"journal/events/text"
	"journal/journal/agents/transcript"
)

// begunUnits bounds the description of an unfinished call, in UTF-16 units.
const begunUnits = 500

// Said returns the agent's last words, and the newest unfinished call of the main thread: no hook reports it.
func (r *reader) Said() (transcript.Words, bool) {
	words, ok := r.Told.Said()
	for c := range r.uses.Each {
		name := transcript.Unquote(c.name)
		if c.of.lane != "" || name != "Task" && (strings.HasPrefix(name, "Task") || strings.HasPrefix(name, "Todo")) {
			continue // a subagent's, or a call for the agent's own lists
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
