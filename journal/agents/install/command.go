package install

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"journal/events/shell"
)

// smallName is the program that agents call: it starts in a fraction of the time of journal. On Windows there is none.
const smallName = "journal-hook"

// smallBeside returns the small program beside bin, empty if there is none. It looks beside a path only: a bare name
// depends on another PATH than ours.
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

// command returns the beginning of a command line in settings for a verb, with the small program if there is one. All
// our command lines in settings are made here.
func (w wiring) command(verb string) string {
	switch {
	case w.small == "":
		return Quote(w.bin) + " " + verb
	case verb == "hook": // the small program's default
		return Quote(w.small)
	}
	return Quote(w.small) + " " + verb
}

// program returns the path for the settings.
func (w wiring) program() string {
	if w.small != "" {
		return w.small
	}
	return w.bin
}

// arguments returns the words after the verb, if words are a command line of the journal for that verb, with any path
// and program.
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

// shellSafe are the bytes without a special meaning in any shell, anywhere in a word. "=" is missing: at the start it
// would make an assignment.
const shellSafe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+:,./-"

// Quote returns s as one word of a shell command, in which nothing is expanded.
func Quote(s string) string {
	if s != "" && strings.Trim(s, shellSafe) == "" {
		return s
	}
	return inQuotes(s)
}

func inQuotes(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// unquoted is the reverse of inQuotes.
func unquoted(word string) string {
	return strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(word, "'"), "'"), `'\''`, "'")
}

// simple returns the words of a shell command, without their quotes. ok is false if it is more than one simple command, or
// sends its output elsewhere.
func simple(command string) (words []string, ok bool) {
	parts := shell.Split(strings.TrimSpace(command))
	if len(parts) != 1 || parts[0].Op != "" {
		return nil, false
	}
	words = parts[0].Words
	return words, len(shell.Plain(words)) == len(words)
}

// orNothing ends a line that the client shows with its answer: it guards with the fewest characters, for a process more.
const orNothing = "||:"

// hookCommand returns the line for an event in the settings. It does nothing if the program is missing, because a
// failing hook is shown with every call. If the settings are shared, the start of a session reports a missing program;
// for a person's own settings journal doctor does. Otherwise all lines are equal: the hook's input names the event, and
// a client runs identical commands once.
func (w wiring) hookCommand(event string) string {
	call := w.command("hook") + " " + w.agent.Name
	switch {
	case w.agent.Settings.Warning == nil:
		return call
	case slices.Contains(w.agent.Settings.Shown, event):
		return call + orNothing
	}
	otherwise := ":"
	text := fmt.Sprintf("journal is not at %s: nothing of this session is recorded. Install it there, or run `journal uninstall --scope project`.", w.program())
	if warning := w.agent.Settings.Warning(event, text); w.shared && warning != "" {
		otherwise = "printf %s " + Quote(warning)
	}
	// The shell execs the program, so the guard costs no process.
	program, name := Quote(w.program()), "$f"
	if program != w.program() {
		name = `"$f"`
	}
	test := "[ -x " + name + " ]"
	if !strings.ContainsAny(program, `/\`) {
		test = "command -v " + name + ">/dev/null 2>&1"
	}
	return "f=" + program + ";" + test + "&&exec " + name + strings.TrimPrefix(call, program) + ";" + otherwise
}

// callIn returns the words of the call in a line of hookCommand, of this version or of one that named the program twice, or
// of any other simple command.
func callIn(line string) (words []string, ok bool) {
	parts := shell.Split(line)
	i := slices.IndexFunc(parts, func(p shell.Part) bool { return p.Words[0] == "exec" })
	if i < 1 || parts[i-1].Op != "&&" || !slices.Contains([]string{"[", "command"}, parts[i-1].Words[0]) {
		return simple(strings.TrimSuffix(line, orNothing))
	}
	words = parts[i].Words[1:]
	if program, assigned := strings.CutPrefix(parts[0].Words[0], "f="); assigned && len(words) > 0 {
		words[0] = program
	}
	return words, true
}
