package install

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"journal/events/shell"
)

// hookProgramName is the name of the program for agents, which starts much faster than journal. There is none on Windows.
const hookProgramName = "journal-hook"

// hookProgramBeside returns the path of journal-hook beside bin, "" if there is none. It is "" for a bin that is not an absolute path:
// the agent would look up a name in its own PATH, which may differ from ours.
func hookProgramBeside(bin string) string {
	if !filepath.IsAbs(bin) {
		return ""
	}
	path := filepath.Join(filepath.Dir(bin), hookProgramName+filepath.Ext(bin))
	if fi, err := os.Stat(path); err != nil || !fi.Mode().IsRegular() {
		return ""
	}
	return path
}

// command returns the beginning of the command line for a verb in the settings. The line calls journal-hook if there is one.
func (w wiring) command(verb string) string {
	switch {
	case w.hookProgram == "":
		return Quote(w.bin) + " " + verb
	case verb == "hook": // the default verb of journal-hook
		return Quote(w.hookProgram)
	}
	return Quote(w.hookProgram) + " " + verb
}

// program returns the path of the program that the settings call.
func (w wiring) program() string {
	return cmp.Or(w.hookProgram, w.bin)
}

// arguments returns the words after the verb in a call of journal or journal-hook at any path. ok is false if the words are no such call
// with that verb.
func (w wiring) arguments(words []string, verb string) (rest []string, ok bool) {
	if len(words) == 0 {
		return nil, false
	}
	name := strings.TrimSuffix(words[0][strings.LastIndexAny(words[0], `/\`)+1:], ".exe")
	switch {
	case name == hookProgramName && verb == "hook": // the verb is omitted
		return words[1:], true
	case name != hookProgramName && name != "journal" && words[0] != w.bin, len(words) < 2 || words[1] != verb:
		return nil, false
	}
	return words[2:], true
}

// shellSafe holds the bytes that have no special meaning in any shell, anywhere in a word. "=" is missing, because it may make the word
// an assignment.
const shellSafe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+:,./-"

// Quote returns s as one word of a shell command. The shell expands nothing in it.
func Quote(s string) string {
	if s != "" && strings.Trim(s, shellSafe) == "" {
		return s
	}
	return inQuotes(s)
}

// inQuotes returns s in single quotes.
func inQuotes(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// unquoted returns the text of which inQuotes makes word.
func unquoted(word string) string {
	return strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(word, "'"), "'"), `'\''`, "'")
}

// simpleCommand returns the words of a shell command, without their quotes. ok is false if the command is not one simple command, or
// has a redirection or an assignment.
func simpleCommand(command string) (words []string, ok bool) {
	parts := shell.Split(strings.TrimSpace(command))
	if len(parts) != 1 || parts[0].Op != "" {
		return nil, false
	}
	words = parts[0].Words
	return words, len(shell.Plain(words)) == len(words)
}

// orNothing is the end of the command lines for the events in Settings.Shown: the shortest guard against a missing program. It costs one
// more process, because the shell waits for the program.
const orNothing = "||:"

// hookCommand returns the command line for an event. If the program is missing, the line does nothing, because the client would show the
// failure at every call. In shared settings, the line for the start of a session prints a warning then; for a person's own settings
// journal doctor reports the missing program. The other lines are equal for all events: a client runs identical commands only once, and
// the hook's input names the event.
func (w wiring) hookCommand(event string) string {
	call := w.command("hook") + " " + w.agent.Name
	switch {
	case w.agent.Settings.Warning == nil:
		return call
	case slices.Contains(w.agent.Settings.Shown, event):
		return call + orNothing
	}
	fallback := ":"
	text := fmt.Sprintf("journal is not at %s: nothing of this session is recorded. Install it there, or run `journal uninstall --scope project`.", w.program())
	if warning := w.agent.Settings.Warning(event, text); w.shared && warning != "" {
		fallback = "printf %s " + Quote(warning)
	}
	// exec replaces the shell by the program, so this guard costs no process.
	program, name := Quote(w.program()), "$f"
	if program != w.program() {
		name = `"$f"`
	}
	test := "[ -x " + name + " ]"
	if !strings.ContainsAny(program, `/\`) {
		test = "command -v " + name + ">/dev/null 2>&1"
	}
	return "f=" + program + ";" + test + "&&exec " + name + strings.TrimPrefix(call, program) + ";" + fallback
}

// callIn returns the words of the call in a line of hookCommand. It also reads the lines of an older version, which have the path of the
// program twice, and returns the words of a line that is a simple command. ok is false for other lines.
func callIn(line string) (words []string, ok bool) {
	parts := shell.Split(line)
	i := slices.IndexFunc(parts, func(p shell.Part) bool { return p.Words[0] == "exec" })
	if i < 1 || parts[i-1].Op != "&&" || !slices.Contains([]string{"[", "command"}, parts[i-1].Words[0]) {
		return simpleCommand(strings.TrimSuffix(line, orNothing))
	}
	words = parts[i].Words[1:]
	if program, assigned := strings.CutPrefix(parts[0].Words[0], "f="); assigned && len(words) > 0 {
		words[0] = program
	}
	return words, true
}
