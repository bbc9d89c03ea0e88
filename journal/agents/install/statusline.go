package install

import (
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// In a command line of the status line, bridge is our verb, dashes are before the person's command, and wrapper is before the person's
// command as one word: `sh -c` runs it as the agent would have.
const (
	bridge  = "statusline"
	dashes  = " -- "
	wrapper = dashes + "sh -c "
)

// statusCommand returns the command of the status line, nil if there is none. problem is not "" if the status line is not a command.
func (s *settings) statusCommand() (command *hujson.Value, problem string) {
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

// installStatusLine wraps the command of the status line in a call of journal (S1.3). If that is impossible, note is the reason.
func (w wiring) installStatusLine(s *settings) (note string) {
	command, problem := s.statusCommand()
	switch {
	case problem != "":
		line, _ := s.position(s.find("statusLine").StartOffset)
		return fmt.Sprintf("line %d: %s; it is left as it is, so usage is not recorded from it", line, problem)
	case command == nil:
		s.add([]string{"statusLine"}, call{Type: "command", Command: w.command(bridge)})
		return ""
	}
	line, _ := text(command)
	wrapped, ok := w.bridged(line)
	if !ok {
		wrapped = wrapper + inQuotes(line)
	}
	s.set(command, w.command(bridge)+wrapped)
	return ""
}

// removeStatusLine removes our call and restores the wrapped command.
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
		if word, ok := strings.CutPrefix(wrapped, wrapper); ok {
			if own := unquoted(word); inQuotes(own) == word {
				inner = own
			}
		}
		s.set(command, inner)
	}
}

// bridged reports whether a command is our call, and returns the text after `journal statusline`: "", or " -- " and the wrapped command.
func (w wiring) bridged(command string) (wrapped string, ok bool) {
	call, inner, _ := strings.Cut(command+" ", dashes)
	words, ok := simpleCommand(call)
	if rest, ours := w.arguments(words, bridge); !ok || !ours || len(rest) > 0 {
		return "", false
	}
	if inner = strings.TrimSpace(inner); inner == "" {
		return "", true
	}
	return dashes + inner, true
}
