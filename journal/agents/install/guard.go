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
	otherwise := ":"
	text := fmt.Sprintf("journal is not at %s: nothing of this session is recorded. Install it there, or run `journal uninstall --scope project`.", w.program())
	if said := w.agent.Settings.Warning(event, text); w.shared && said != "" {
		otherwise = "printf %s " + Quote(said)
	}
	// The client shows the whole line when it has compacted, so it is short, and names the program once. The shell
	// becomes the program, so that the guard costs no process.
	program, name := Quote(w.program()), "$f"
	if program != w.program() {
		name = `"$f"`
	}
	test := "[ -x " + name + " ]"
	if !strings.ContainsAny(program, `/\`) {
		test = "command -v " + name + ">/dev/null 2>&1"
	}
	return "f=" + program + ";" + test + execs + name + strings.TrimPrefix(call, program) + ";" + otherwise
}

// execs stands between the test of a guarded line and its call.
const execs = "&&exec "

// unguarded gives the call in a guarded line, any other line as it is. Lines used to name the program twice.
func unguarded(command string) string {
	test, rest, ok := strings.Cut(strings.Replace(command, " && exec ", execs, 1), execs)
	named, assigned := strings.CutPrefix(test, "f=")
	if !ok || !assigned && !strings.HasPrefix(test, "[ -x ") && !strings.HasPrefix(test, "command -v ") {
		return command
	}
	program := ""
	if assigned {
		_, end, _ := shellWord([]rune(named), 0)
		program = string([]rune(named)[:end])
		rest = strings.TrimPrefix(strings.TrimPrefix(rest, `"$f"`), "$f")
	}
	rs, end := []rune(rest), 0
	for {
		_, next, ok := shellWord(rs, end)
		if !ok {
			return program + string(rs[:end])
		}
		end = next
	}
}
