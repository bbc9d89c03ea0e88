package knowledge

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"journal/events/shell"
	"journal/projections"
)

var (
	unsolved   = keep(50, "commands that failed, and no later run mended")
	lookedOnly = routine("commands that only look and found nothing")
	rerun      = routine("commands that failed and were run again")
	silent     = routine("commands that failed and said nothing but that")
)

// rateFailure says which failures still stand. One does not when a later run of the same task
// worked, or failed again: then the later run counts.
func rateFailure(f *projections.Fold) func(Item) Worth {
	var later []run // newest first; those before an item's Seq are not later
	for c := range projections.Commands.In(f).Backward() {
		if !c.Running() {
			later = append(later, run{c.Seq, tasks(c.Command)})
		}
	}
	return func(i Item) Worth {
		done := tasks(i.Text)
		if telling := slices.DeleteFunc(slices.Clone(done), task.aside); len(telling) > 0 {
			done = telling
		}
		if len(done) == 0 {
			return lookedOnly
		}
		conflict := strings.Contains(i.Detail, "CONFLICT")
		for _, t := range done {
			over := func(o task) bool { return t.in(o) || conflict && t.isGit(gitJoins...) && o.isGit("commit") }
			if !slices.ContainsFunc(later, func(r run) bool { return r.seq > i.Seq && slices.ContainsFunc(r.tasks, over) }) {
				if saysNothing(i.Detail) {
					return silent
				}
				return unsolved
			}
		}
		return rerun
	}
}

// failed is what a line says that says nothing but that something failed.
var failed = regexp.MustCompile(`(?i)^\s*(?:\[[\w:.-]+\]\s*)?(?:error|fail|failed|task failed|error:? task failed|exit (?:code|status) \d+)?\s*$`)

// saysNothing says whether every line of an error says only that.
func saysNothing(detail string) bool {
	for line := range strings.Lines(detail) {
		if !failed.MatchString(strings.TrimRight(line, "\r\n")) {
			return false
		}
	}
	return detail != ""
}

// run is one run of a command, and what it did.
type run struct {
	seq   uint64
	tasks []task
}

// task is what one simple command does: its program and what follows of plain words, on
// what, and which part of that.
type task struct {
	words   []string
	targets []string
	narrow  string
}

// tasks lists what a shell command does, apart from going somewhere and looking.
func tasks(command string) []task {
	var all []task
	for _, words := range shell.Commands(command) {
		if t := taskOfWords(words); len(t.words) > 0 && !looks(t.words) && !asks(words) {
			all = append(all, t)
		}
	}
	return all
}

func taskOfWords(words []string) (t task) {
	for len(words) > 0 && (strings.Contains(words[0], "=") || slices.Contains(wrappers, words[0]) || words[0] != "" && words[0][0] >= '0' && words[0][0] <= '9') {
		words = words[1:]
	}
	for i := 0; i < len(words); i++ {
		switch w := words[i]; {
		case strings.HasPrefix(w, "<") || strings.Contains(w, ">"):
			if strings.TrimLeft(w, "0123456789&<>|") == "" && !strings.Contains(w, "&") {
				i++ // its file
			}
		case slices.Contains(narrowing, w) && i+1 < len(words):
			i++
			t.narrow += " " + words[i]
		case strings.HasPrefix(w, "-"):
			if name, part, found := strings.Cut(w, "="); found && slices.Contains(narrowing, name) {
				t.narrow += " " + part
			} else if !found && i+1 < len(words) && isValue(words[i+1]) {
				i++
			}
		case len(t.words) == 0:
			t.words = append(t.words, path.Base(w))
		case isPlain(w) && len(t.targets) == 0:
			t.words = append(t.words, w)
		case w != "." && w != "./...":
			t.targets = append(t.targets, w)
		}
	}
	return t
}

// narrowing are the flags of test runners whose value picks a part.
var narrowing = []string{"-run", "--run", "-k", "-t", "-g", "--grep", "--filter", "--only", "--test", "--tests"}

// wrappers run the command that follows.
var wrappers = []string{"time", "timeout", "env", "sudo", "nohup", "command", "exec"}

// isValue says whether the argument behind a flag is the flag's: a message, a number.
func isValue(w string) bool {
	return strings.Contains(w, " ") || !isPlain(w) && !strings.HasPrefix(w, "-") && !strings.ContainsAny(w, "/<>")
}

// isPlain says whether an argument is a plain word, such as the name of a subcommand.
func isPlain(w string) bool {
	return !strings.ContainsFunc(w, func(r rune) bool { return (r < 'a' || r > 'z') && r != '-' && r != ':' && r != '_' })
}

// in says whether a run of another task does at least this one.
func (t task) in(other task) bool {
	if slices.Equal(t.words, other.words) {
		return (other.narrow == "" || other.narrow == t.narrow) && (len(other.targets) == 0 || len(t.targets) > 0 &&
			!slices.ContainsFunc(t.targets, func(w string) bool {
				return !slices.ContainsFunc(other.targets, func(o string) bool { return covers(o, w) })
			}))
	}
	return slices.Contains(runners, other.words[0]) && other.narrow == "" && len(other.targets) == 0 &&
		slices.ContainsFunc(purposes, func(p string) bool { return t.has(p) && other.has(p) })
}

// covers says whether a path, or a pattern of one, has another one in it.
func covers(all, part string) bool {
	if all == part {
		return true
	}
	all, dirs := strings.CutSuffix(all, "...")
	return dirs && strings.HasPrefix(part, all)
}

// runners run what a project does, by its name, with whatever program, and purposes are
// what names of both tell: all tests of the project have the one in them that failed.
var (
	runners  = []string{"mise", "make", "just", "task", "npm", "pnpm", "yarn", "bun"}
	purposes = []string{"test", "lint", "build"}
)

func (t task) has(purpose string) bool {
	return slices.ContainsFunc(t.words, func(w string) bool { return strings.Contains(w, purpose) })
}

// looking are programs that change nothing and are no check, and those that only say
// where or when.
var looking = []string{
	"cd", "pushd", "popd", "echo", "printf", "cat", "head", "tail", "less", "grep", "rg", "egrep", "ls", "find", "fd", "wc", "sort", "uniq",
	"cut", "tr", "jq", "awk", "sed", "diff", "tee", "true", "false", "test", "[", "pwd", "which", "type", "file", "stat", "sleep",
	"export", "set", "source", "do", "done", "then", "fi", "if", "for", "while", "xargs",
}

// aside says whether a task is seldom what failed, where there are others: it formats, or
// makes the tree ready.
func (t task) aside() bool {
	return t.has("fmt") || t.has("format") || t.isGit("add", "checkout", "stash", "switch", "restore")
}

// gitLooks are the subcommands of git that only look.
var gitLooks = []string{"show", "log", "diff", "status", "branch", "rev-parse", "ls-files", "ls-tree", "cat-file", "blame", "remote", "fetch"}

// hubLooks are the subcommands of gh that only look.
var hubLooks = []string{"view", "checks", "diff", "list", "status", "search"}

// gitJoins are those that stop at a conflict; a commit goes on from there.
var gitJoins = []string{"merge", "rebase", "cherry-pick", "pull", "revert"}

func (t task) isGit(subcommands ...string) bool {
	return t.words[0] == "git" && len(t.words) > 1 && slices.Contains(subcommands, t.words[1])
}

// asks says whether a command tells only of itself, or gets something from GitHub: it
// does unless it is given fields or another method.
func asks(words []string) bool {
	if slices.Contains(words, "--version") || slices.Contains(words, "--help") {
		return true
	}
	at := slices.Index(words, "gh")
	return at >= 0 && at+1 < len(words) && words[at+1] == "api" && !slices.ContainsFunc(words[at+2:], func(w string) bool {
		name, _, _ := strings.Cut(w, "=")
		return slices.Contains([]string{"-X", "--method", "-f", "-F", "--field", "--raw-field", "--input"}, name)
	})
}

func looks(words []string) bool {
	return slices.Contains(looking, words[0]) || task{words: words}.isGit(gitLooks...) ||
		words[0] == "gh" && slices.ContainsFunc(words, func(w string) bool { return slices.Contains(hubLooks, w) })
}
