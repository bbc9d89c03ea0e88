package install

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// smallName is the name of the program that agents call, which is a fifth of the other
// one and starts in half the time.
const smallName = "journal-hook"

// smallBeside gives the small program that lies beside bin, empty when there is none.
// It is looked for beside a path only: what a bare name means is for another PATH than
// ours to say.
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

// command is what the settings shall say for a verb of the journal, without what
// follows it: the small program where there is one. Every command line of ours in
// settings is made here.
func (w wiring) command(verb string) string {
	switch {
	case w.small == "":
		return Quote(w.bin) + " " + verb
	case verb == "hook": // what the small program does when it is not told
		return Quote(w.small)
	}
	return Quote(w.small) + " " + verb
}

// program is the path that stands in the settings.
func (w wiring) program() string {
	if w.small != "" {
		return w.small
	}
	return w.bin
}

// arguments gives what follows the verb in the words of a command line, when that is
// one of the journal for that verb, by whichever path and program.
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

// shellSafe are the bytes that mean themselves to every shell, anywhere in a
// word. "=" is not among them: at the start it would make an assignment.
const shellSafe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+:,./-"

// Quote returns s as one word of a shell command, in which nothing is expanded.
func Quote(s string) string {
	if s != "" && strings.Trim(s, shellSafe) == "" {
		return s
	}
	return inQuotes(s)
}

func inQuotes(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// shellWord reads one word of a shell command from rs[i:], without expanding
// anything. It returns the word, without its quotes, and the index after it.
// ok is false when no word begins there: at the end, at an operator, or when
// a quote is not closed.
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

// quoted copies to b what stands from rs[i] to the closing quote and returns
// the index after that.
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

// shellWords splits a command into words. ok is false when it is more than
// one simple command.
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
