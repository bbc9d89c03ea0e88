package install

import (
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// around is the text between the bridge and the wrapped command. The person's own command goes through `sh -c` as one
// word, so that the bridge runs it as the agent would have.
const around = dashes + "sh -c "

const dashes = " -- "

// bridge is the verb of the journal in front of it.
const bridge = "statusline"

// statusCommand returns the command of the status line, if there is one. what says why there is none.
func (s *settings) statusCommand() (command *hujson.Value, what string) {
	line := s.find("statusLine")
	switch {
	case line == nil:
		return nil, ""
	case line.Value.Kind() != '{':
		return nil, `"statusLine" is not an object`
	case find(line, "type") != nil && !is(find(line, "type"), "command"):
		return nil, `"statusLine" is not of type command`
	}
	command = find(line, "command")
	if _, ok := text(command); !ok {
		return nil, `"statusLine" has no command`
	}
	return command, ""
}

// installStatusLine puts the bridge in front of the status line (S1.3). note is not empty if that is impossible.
func (w wiring) installStatusLine(s *settings) (note string) {
	command, what := s.statusCommand()
	switch {
	case what != "":
		line, _ := s.position(s.find("statusLine").StartOffset)
		return fmt.Sprintf("line %d: %s; it is left as it is, so usage is not recorded from it", line, what)
	case command == nil:
		s.add([]string{"statusLine"}, call{Type: "command", Command: w.command(bridge)})
		return ""
	}
	line, _ := text(command)
	wrapped, ok := w.bridged(line)
	if !ok {
		wrapped = around + inQuotes(line)
	}
	s.set(command, w.command(bridge)+wrapped)
	return ""
}

// removeStatusLine removes the bridge and restores the wrapped command.
func (w wiring) removeStatusLine(s *settings) {
	command, _ := s.statusCommand()
	line, _ := text(command)
	wrapped, ok := w.bridged(line)
	switch {
	case !ok:
	case wrapped == "":
		s.remove("statusLine")
	default:
		inner := strings.TrimPrefix(wrapped, dashes)
		if word, ok := strings.CutPrefix(wrapped, around); ok {
			if own := unquoted(word); inQuotes(own) == word {
				inner = own
			}
		}
		s.set(command, inner)
	}
}

// bridged reports whether a command is our bridge, and returns what follows `journal statusline`: nothing, or " -- "
// and the wrapped command.
func (w wiring) bridged(command string) (wrapped string, ok bool) {
	call, inner, _ := strings.Cut(command+" ", dashes)
	words, ok := simple(call)
	if rest, ours := w.arguments(words, bridge); !ok || !ours || len(rest) > 0 {
		return "", false
	}
	if inner = strings.TrimSpace(inner); inner == "" {
		return "", true
	}
	return dashes + inner, true
}
