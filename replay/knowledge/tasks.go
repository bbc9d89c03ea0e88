package knowledge

import (
	"cmp"
	"slices"
	"strings"

	"journal/events/shell"
	"journal/events/text"
)

// task is the work of one simple command.
type task struct {
	words   []string  // the program, and the plain words after it
	targets []string  // the other arguments, without "." and "./..."
	here    bool      // it has one of these two
	narrow  string    // names of tests, separated by |, or of several flags by spaces; empty if the task runs all
	picks   selection // narrow, parsed
	action  string    // words, joined, or a name for words that replace each other
	actions []string  // action, and that of the build that go or cargo runs first
	keys    []string  // in laterRuns.byKey: each action with each target; also the action alone if there is no target, or a "..." one
}

// targetKey returns the key of an action and the first of some targets, "" without targets. A run with at least these
// targets has the same key among its own.
func targetKey(action string, targets []string) string {
	if len(targets) == 0 {
		return ""
	}
	return action + "\x00\x00" + targets[0]
}

// tasks returns the tasks of a shell command, without commands that only read or change the directory, and without those
// that a task is piped into: they only read its output.
func tasks(command string) []task { return readTasks.get(command) }

// readTasks caches tasks.
var readTasks = cache[[]task]{compute: func(command string) []task {
	var all []task
	piped := false
	for _, part := range shell.Split(command) {
		t := taskOfWords(part.Words)
		if files := shell.Written(part.Words); len(files) > 0 && len(t.words) > 0 && onlyReads(t.words) {
			t = task{words: []string{write}, targets: files[len(files)-1:]}
		}
		isTask := !piped && len(t.words) > 0 && !onlyReads(t.words) && !isQuery(part.Words)
		if isTask {
			t.action, t.picks = cmp.Or(t.action, strings.Join(t.words, "\x00")), selectionOf(t.narrow)
			t.actions = []string{t.action}
			if len(t.words) == 2 && slices.Contains([]string{"go", "cargo"}, t.words[0]) && slices.Contains([]string{"vet", "check", "clippy", "test"}, t.words[1]) {
				t.actions = append(t.actions, t.words[0]+"\x00build")
			}
			for _, action := range t.actions {
				for n := range t.targets {
					t.keys = append(t.keys, targetKey(action, t.targets[n:]))
				}
				if len(t.targets) == 0 || slices.ContainsFunc(t.targets, func(w string) bool { return strings.HasSuffix(w, "...") }) {
					t.keys = append(t.keys, action)
				}
			}
			slices.Sort(t.keys)
			t.keys = slices.Compact(t.keys)
			all = append(all, t)
		}
		piped = part.Op == "|" && (piped || isTask)
	}
	return all
}}

// taskOfWords returns the words, targets and narrow of a simple command, and the action of an install or of a change of branch. It is zero
// without a program.
func taskOfWords(words []string) (t task) {
	words = unwrapped(shell.Plain(words))
	if t = installing(words); len(t.words) > 0 {
		return t
	}
	for i := 0; i < len(words); i++ {
		switch w := words[i]; {
		case w == "-C" && len(t.words) == 1: // git and make change to that directory first
			i++
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
			t.words = append(t.words, program(w))
		case strings.Contains(w, ".py::"): // one test of a file
			file, test, _ := strings.Cut(w, "::")
			t.targets, t.narrow = append(t.targets, file), strings.TrimLeft(t.narrow+"|"+test[strings.LastIndex(test, ":")+1:], "|")
		case isPlain(w) && len(t.targets) == 0:
			t.words = append(t.words, w)
		case w == "." || w == "./...":
			t.here = true
		default:
			t.targets = append(t.targets, w)
		}
	}
	isPath := func(w string) bool { return w == "--" || strings.Contains(w, ".") }
	if t.isGit("checkout", "switch") && !slices.ContainsFunc(words, isPath) { // once on another branch, nobody needs the first one
		t.action, t.targets, t.narrow = "git switch", nil, "" // the value of -t is a branch too
	}
	return t
}

// narrowing lists the flags of test runners whose value selects tests.
var narrowing = []string{"-run", "--run", "-k", "-t", "-g", "--grep", "--filter", "--only", "--test", "--tests"}

// isValue reports whether the argument after a flag is the flag's value: a message, a number.
func isValue(w string) bool {
	return strings.Contains(w, " ") || !isPlain(w) && !strings.HasPrefix(w, "-") && !strings.ContainsAny(w, "/<>")
}

// isPlain reports whether an argument is a plain word, such as a subcommand.
func isPlain(w string) bool {
	return !strings.ContainsFunc(w, func(r rune) bool { return (r < 'a' || r > 'z') && r != '-' && r != ':' && r != '_' })
}

// coveredBy reports whether other does at least what t does.
func (t *task) coveredBy(other *task) bool {
	if slices.Contains(other.actions, t.action) {
		return other.picks.include(t.picks) && coversAll(other.targets, t.targets)
	}
	if !slices.Contains(runners, other.words[0]) || other.narrow != "" || len(other.targets) > 0 {
		return false
	}
	if slices.Contains(runners, t.words[0]) && !includesTask(other.words[len(other.words)-1], t.words[len(t.words)-1]) {
		return false
	}
	compiled := t.has("build") && !slices.Contains(runners, t.words[0]) && other.has("test") // testing builds first
	vetted := t.action == "go\x00vet" && (other.has("test") || other.has("lint"))            // go test vets, as linters do
	return compiled || vetted || slices.ContainsFunc(purposes, func(p string) bool { return t.has(p) && other.has(p) })
}

// includesTask reports whether the task of a runner probably includes another one: "test:ci" includes "test", and "test"
// includes "test-unit", but not "test:integration", which stands beside "test" in mise and npm.
func includesTask(whole, part string) bool {
	return everything().MatchString(whole) || strings.HasPrefix(part, whole+"-")
}

// everything matches names of tasks that include all others of their purpose.
var everything = text.Pattern(`(?:^|[:_-])(?:ci|all|full)$`)

// selection is the set of tests that a run picks by name. A zero selection picks all tests.
type selection struct {
	all      string    // the patterns as they were written, separated by |
	patterns []pattern // a test runs if one of them picks it
}

// pattern is one name of a selection. It picks every test whose name contains it. ^ or $ anchors it at the begin or the
// end of the name.
type pattern struct {
	text, bare string // with and without anchors
	begin, end bool   // where it is anchored
}

// selectionOf parses names of tests, separated by |.
func selectionOf(narrow string) selection {
	s := selection{all: narrow}
	if narrow != "" {
		for p := range strings.SplitSeq(narrow, "|") {
			s.patterns = append(s.patterns, patternOf(strings.TrimSpace(p)))
		}
	}
	return s
}

// patternOf parses one name of a selection.
func patternOf(p string) pattern {
	bare := strings.Trim(strings.ReplaceAll(p, "$/^", "/"), "^$")
	return pattern{p, bare, strings.HasPrefix(p, "^"), strings.HasSuffix(p, "$")}
}

// include reports whether s picks every test that part picks.
func (s selection) include(part selection) bool {
	if s.all == "" || s.all == part.all {
		return true
	}
	return part.all != "" && !slices.ContainsFunc(part.patterns, func(name pattern) bool {
		return !slices.ContainsFunc(s.patterns, func(p pattern) bool { return p.includes(name) })
	})
}

// picksTest reports whether a pattern of s picks the test of this name.
func (s selection) picksTest(name string) bool {
	test := patternOf("^" + strings.ReplaceAll(name, "/", "$/^") + "$")
	return slices.ContainsFunc(s.patterns, func(p pattern) bool { return p.includes(test) })
}

// includes reports whether p picks every test that name probably picks: without an anchor, that is the test of this name. Without a
// slash p picks Go's subtests too, and ^$ picks no test.
func (p pattern) includes(name pattern) bool {
	if !strings.Contains(p.bare, "/") {
		test, _, _ := strings.Cut(name.text, "/")
		name = patternOf(test)
	}
	if p.end && !(name.end && strings.HasSuffix(name.bare, p.bare)) || p.begin && p.end && name.bare != p.bare {
		return false
	}
	return strings.Contains(name.bare, p.bare) && (!p.begin || strings.HasPrefix(name.bare, p.bare))
}

// coversAll reports whether each of some targets is covered by one of others. No targets are all of them.
func coversAll(others, targets []string) bool {
	isMissing := func(target string) bool {
		return !slices.ContainsFunc(others, func(other string) bool { return covers(other, target) })
	}
	return len(others) == 0 || len(targets) > 0 && !slices.ContainsFunc(targets, isMissing)
}

// covers reports whether all is the path part, or a /... pattern that includes it: ./a/... includes ./a and ./a/b.
func covers(all, part string) bool {
	if all == part {
		return true
	}
	all, dirs := strings.CutSuffix(all, "...")
	return dirs && strings.HasPrefix(strings.TrimSuffix(part, "/")+"/", all)
}

// runners run the tasks of a project by name, whatever program they call. purposes relate their tasks to other
// commands: "make test" covers the one test that failed.
var (
	runners  = []string{"mise", "make", "just", "task", "npm", "pnpm", "yarn", "bun"}
	purposes = []string{"test", "lint", "build"}
)

// isBlamed reports whether an error names this task as the failed one, as runners do: "[lint] ERROR". Only a push is rejected, and only a
// change of branch fails for a branch of another worktree.
func (t task) isBlamed(detail string) bool {
	switch {
	case strings.Contains(detail, "! [rejected]"):
		return t.isGit("push")
	case usedElsewhere().MatchString(detail):
		return t.isGit("checkout", "switch")
	}
	return slices.Contains(runners, t.words[0]) && strings.Contains(detail, "["+t.words[len(t.words)-1]+"] ERROR ")
}

// usedElsewhere matches git's error about a branch that another worktree has.
var usedElsewhere = text.Pattern(`fatal: '.+' is already (?:used by worktree|checked out) at `)

// has reports whether one of the task's words contains a purpose.
func (t task) has(purpose string) bool {
	return slices.ContainsFunc(t.words, func(w string) bool { return strings.Contains(w, purpose) })
}

// write is the word of the task that writes the output of a reading program to a file.
const write = "write"

// readers lists programs and shell words that change and check nothing.
var readers = []string{
	"cd", "pushd", "popd", "echo", "printf", "cat", "head", "tail", "less", "grep", "rg", "egrep", "ls", "find", "fd", "wc", "sort", "uniq",
	"cut", "tr", "jq", "yq", "awk", "sed", "diff", "cmp", "tee", "xxd", "od", "tree", "du", "ps", "date", "readlink", "realpath", "true", "false", "test", "[", "pwd", "which", "type", "file", "stat", "sleep",
	"export", "set", "source", "do", "done", "then", "fi", "if", "for", "while", "xargs",
	"dir", "where", "get-childitem", "get-content", "get-item", "select-string", "select-object", "test-path", "set-location", "write-output", "start-sleep",
}

// isAside reports whether a task is seldom the one that failed if a command has several: it writes a file, formats code or
// prepares the checkout.
func (t task) isAside() bool {
	return t.words[0] == write || t.has("fmt") || t.has("format") || t.isGit("add", "checkout", "stash", "switch", "restore")
}

// gitReaders lists the subcommands of git that only read.
var gitReaders = []string{"show", "log", "diff", "status", "branch", "rev-parse", "ls-files", "ls-tree", "cat-file", "blame", "remote", "fetch", "grep", "ls-remote", "rev-list", "merge-base", "describe", "reflog", "shortlog", "check-ignore"}

// ghReaders lists the subcommands of gh that only read.
var ghReaders = []string{"view", "checks", "diff", "list", "status", "search"}

// gitMergers lists the subcommands of git that stop at a conflict, which a commit concludes.
var gitMergers = []string{"merge", "rebase", "cherry-pick", "pull", "revert"}

// isGit reports whether the task is one of some subcommands of git.
func (t task) isGit(subcommands ...string) bool {
	return len(t.words) > 1 && t.words[0] == "git" && slices.Contains(subcommands, t.words[1])
}

// isQuery reports whether a command only prints its version or help, reads a git setting, or gets data from GitHub by `gh
// api` without fields and without another method.
func isQuery(words []string) bool {
	if slices.Contains(words, "--version") || slices.Contains(words, "--help") {
		return true
	}
	if t := taskOfWords(words); t.isGit("config") {
		return len(t.words)+len(t.targets) < 4 && !slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "--unset") || w == "--add" })
	}
	gh := slices.Index(words, "gh")
	return gh >= 0 && gh+1 < len(words) && words[gh+1] == "api" && !slices.ContainsFunc(words[gh+2:], func(w string) bool {
		name, _, _ := strings.Cut(w, "=")
		return slices.Contains([]string{"-X", "--method", "-f", "-F", "--field", "--raw-field", "--input"}, name)
	})
}

// onlyReads reports whether the words of a task change and check nothing.
func onlyReads(words []string) bool {
	return slices.Contains(readers, strings.ToLower(words[0])) || task{words: words}.isGit(gitReaders...) ||
		words[0] == "gh" && slices.ContainsFunc(words, func(w string) bool { return slices.Contains(ghReaders, w) })
}
