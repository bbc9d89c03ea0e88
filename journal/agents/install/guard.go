package install

import (
	"fmt"
	"strings"
)

// hookCommand is what the settings shall say for an event: a line that does nothing where
// the program is not, because a hook that fails is shown with every call. Where the settings
// are shared and the program is not, the start of a session says that it is missing; in a
// person's own, journal doctor does. But for that all lines are the same: which event it is
// stands in what the hook reads, and a client runs identical commands once.
func (w wiring) hookCommand(event string) string {
	call := w.command("hook") + " " + w.agent.Name
	if w.agent.Settings.Warning == nil {
		return call
	}
	otherwise := "true"
	text := fmt.Sprintf("journal is not at %s: nothing of this session is recorded. Install it there, or run `journal uninstall --scope project`.", w.program())
	if said := w.agent.Settings.Warning(event, text); w.shared && said != "" {
		otherwise = "printf %s " + Quote(said)
	}
	return w.test() + execs + call + "; " + otherwise
}

// execs stands between the test of a guarded line and its call. The shell becomes the
// program, so that the guard costs no process.
const execs = " && exec "

// test asks in a shell whether the program is there.
func (w wiring) test() string {
	if strings.ContainsAny(w.program(), `/\`) {
		return "[ -x " + Quote(w.program()) + " ]"
	}
	return "command -v " + Quote(w.program()) + " >/dev/null 2>&1"
}

// unguarded gives the call in a guarded line, any other line as it is.
func unguarded(command string) string {
	test, rest, ok := strings.Cut(command, execs)
	if !ok || !strings.HasPrefix(test, "[ -x ") && !strings.HasPrefix(test, "command -v ") {
		return command
	}
	rs, end := []rune(rest), 0
	for {
		_, next, ok := shellWord(rs, end)
		if !ok {
			return string(rs[:end])
		}
		end = next
	}
}
