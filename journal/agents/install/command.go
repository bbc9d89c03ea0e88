package install

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"journal/events/shell"
)

// smallName is the name of the program that agents call, which starts much faster than journal. There is none on Windows.
const smallName = "journal-hook"

// smallBeside returns the path of the small program beside bin, "" if there is none. bin must be a path: a name is looked up in the PATH
// of the agent, which may differ from ours.
func smallBeside(bin string) string {
	if !filepath.IsAbs(bin) {
		return ""
	}
	path := filepath.Join(filepath.Dir(bin), smallName+filepath.Ext(bin))
	if fi, err := os.Stat(path); err != nil || !fi.Mode().IsRegular() {
		return ""
	}
	return path
}

// command returns the beginning of the command line for a verb in the settings. It calls the small program if there is one.
func (w wiring) command(verb string) string {
	switch {
	case w.small == "":
		return Quote(w.bin) + " " + verb
	case verb == "hook": // the default verb of the small program
		return Quote(w.small)
	}
	return Quote(w.small) + " " + verb
}

// program returns the path of the program that the settings call.
func (w wiring) program() string {
	if w.small != "" {
		return w.small
	}
	return w.bin
}

// arguments returns the words after the verb. ok is false if the words are not a call of journal with that verb, by either program and
// with any path.
func (w wiring) arguments(words []string, verb string) (rest []string, ok bool) {
	if len(words) == 0 {
		return nil, false
	}
	name := strings.TrimSuffix(words[0][strings.LastIndexAny(words[0], `/\`)+1:], ".exe")
	switch {
	case name == smallName && verb == "hook":
		return words[1:], true
	case name != smallName && name != "journal" && words[0] != w.bin, len(words) < 2 || words[1] != verb:
		return nil, false
	}
	return words[2:], true
}

// shellSafe are the bytes without a special meaning in any shell, anywhere in a word. "=" is missing, because it may make an assignment.
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

// unquoted is the reverse of inQuotes.
func unquoted(word string) string {
	return strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(word, "'"), "'"), `'\''`, "'")
}

// simpleCommand returns the words of a shell command, without their quotes. ok is false if it is not one simple command, or has a
// redirection.
func simpleCommand(command string) (words []string, ok bool) {
	parts := shell.Split(strings.TrimSpace(command))
	if len(parts) != 1 || parts[0].Op != "" {
		return nil, false
	}
	words = parts[0].Words
	return words, len(shell.Plain(words)) == len(words)
}

// orNothing is the end of the lines in Settings.Shown: the shortest guard against a missing program. It needs a process more.
const orNothing = "||:"

// hookCommand returns the command line for an event. Without the program it does nothing, because the client would show the failure at
// every call. In shared settings, the line for the start of a session prints a warning instead; for a person's own settings journal
// doctor reports a missing program. All other lines are equal, because the hook's input names the event, and a client runs identical
// commands once.
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
	// The shell replaces itself by the program (exec), so the guard needs no further process.
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

// callIn returns the words of the call in a line of hookCommand, also of an older version that had the program twice. For a line that
// is a simple command it returns its words. ok is false for other lines.
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
