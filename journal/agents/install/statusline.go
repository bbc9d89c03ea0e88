package install

import (
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// Parts of a command line of the status line.
const (
	statusVerb = "statusline"      // our verb
	dashes     = " -- "            // precedes the person's command
	wrapper    = dashes + "sh -c " // precedes the person's command as one word: `sh -c` runs it as the agent would have
)

// statusCommand returns the command of the status line, nil if there is none. If the status line is not a command, problem is the reason,
// else "".
func (s *settings) statusCommand() (command *hujson.Value, problem string) {
	line := s.find("statusLine")
	switch {
	case line == nil:
		return nil, ""
	case line.Value.Kind() != '{':
		return nil, `"statusLine" is not an object`
	case find(line, "type") != nil && !isText(find(line, "type"), "command"):
		return nil, `"statusLine" is not of type command`
	}
	command = find(line, "command")
	if _, ok := text(command); !ok {
		return nil, `"statusLine" has no command`
	}
	return command, ""
}

// installStatusLine makes the status line call journal, which then runs the person's command (S1.3). If that is impossible, note is the
// reason, for the person.
func (w wiring) installStatusLine(s *settings) (note string) {
	command, problem := s.statusCommand()
	switch {
	case problem != "":
		line, _ := s.position(s.find("statusLine").StartOffset)
		return fmt.Sprintf("line %d: %s; it is left as it is, so usage is not recorded from it", line, problem)
	case command == nil:
		s.add([]string{"statusLine"}, call{Type: "command", Command: w.command(statusVerb)})
		return ""
	}
	line, _ := text(command)
	wrapped, ok := w.statusCall(line)
	if !ok {
		wrapped = wrapper + inQuotes(line)
	}
	s.set(command, w.command(statusVerb)+wrapped)
	return ""
}

// removeStatusLine removes our call from the status line, and restores the wrapped command, if there is one.
func (w wiring) removeStatusLine(s *settings) {
	command, _ := s.statusCommand()
	line, _ := text(command)
	wrapped, ok := w.statusCall(line)
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

// statusCall returns the text after `journal statusline` in a command: "", or " -- " and the wrapped command. ok is false if the command
// is not our call.
func (w wiring) statusCall(command string) (wrapped string, ok bool) {
	call, inner, _ := strings.Cut(command+" ", dashes)
	words, ok := simpleCommand(call)
	if rest, ours := w.arguments(words, statusVerb); !ok || !ours || len(rest) > 0 {
		return "", false
	}
	if inner = strings.TrimSpace(inner); inner == "" {
		return "", true
	}
	return dashes + inner, true
}
