package install

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// smallName is the program that agents call: a fifth of the size of journal, and it starts in half the time.
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

// shellWord reads one word of a shell command from rs[i:], without expanding anything. It returns the word, without its
// quotes, and the index after it. ok is false if no word begins there: at the end, at an operator, or if a quote is not
// closed.
func shellWord(rs []rune, i int) (word string, next int, ok bool) {
	for i < len(rs) && (rs[i] == ' ' || rs[i] == '\t') {
		i++
	}
	start := i
	var b strings.Builder
	for i < len(rs) {
		switch c := rs[i]; {
		case strings.ContainsRune(" \t\n;&|<>()`", c) || (c == '#' && i == start):
			return b.String(), i, i > start
		case c == '\'' || c == '"':
			if i, ok = quoted(&b, rs, i+1, c); !ok {
				return "", i, false
			}
		case c == '\\' && i+1 < len(rs):
			b.WriteRune(rs[i+1])
			i += 2
		default:
			b.WriteRune(c)
			i++
		}
	}
	return b.String(), i, i > start
}

// quoted copies the text from rs[i] to the closing quote to b, and returns the index after the quote.
func quoted(b *strings.Builder, rs []rune, i int, quote rune) (int, bool) {
	for ; i < len(rs); i++ {
		switch {
		case rs[i] == quote:
			return i + 1, true
		case quote == '"' && rs[i] == '\\' && i+1 < len(rs) && strings.ContainsRune("$`\"\\\n", rs[i+1]):
			i++
		}
		b.WriteRune(rs[i])
	}
	return i, false
}

// shellWords splits a command into words. ok is false if it is more than one simple command.
func shellWords(command string) (words []string, ok bool) {
	rs := []rune(strings.TrimRight(command, " \t\n"))
	for i := 0; i < len(rs); {
		w, next, ok := shellWord(rs, i)
		if !ok {
			return nil, false
		}
		words, i = append(words, w), next
	}
	return words, true
}

// hookCommand returns the line for an event in the settings. It does nothing if the program is missing, because a
// failing hook is shown with every call. If the settings are shared, the start of a session reports a missing program;
// for a person's own settings journal doctor does. Otherwise all lines are equal: the hook's input names the event, and
// a client runs identical commands once.
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
	// The client shows the whole line after a compaction, so it is short and names the program once. The shell execs
	// the program, so the guard costs no process.
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

// execs separates the test of a guarded line from its call.
const execs = "&&exec "

// unguarded returns the call in a guarded line, and any other line unchanged. Older lines named the program twice.
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
