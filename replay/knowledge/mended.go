package knowledge

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"sync"

	"journal/events/shell"
	"journal/events/text"
	"journal/projections"
)

var (
	unsolved   = keep(50, "commands that failed, and no later run mended")
	lookedOnly = routine("commands that only look and found nothing")
	rerun      = routine("commands that failed and were run again")
	silent     = routine("commands that failed and said nothing but that, or how they are called or written")
	edited     = routine("commands that failed on lines of files that were written since")
	again      = routine("commands that failed as a later one did")
	passed     = routine("commands that failed before the newest request, or that the person stopped")
)

// rateFailure rates failed commands. A failure no longer counts when a later run of the same task worked, or failed
// again: then the later run counts. Nor does it when the person went on, unless it is of a check, or teaches what holds on.
func rateFailure(f *projections.Fold) func(Item) Worth {
	runs, written := laterRuns{commands: projections.Commands.In(f)}, map[string][]projections.FileState{}
	for one := range projections.Files.In(f).All() {
		one.Path = projections.Slashed(one.Path)
		if name := path.Base(one.Path); one.Op != "read" {
			written[name] = append(written[name], one)
		}
	}
	request, taught := newestRequest(f), sync.OnceValue(func() lessons { return lessonsOf(runs.commands) })
	return func(i Item) Worth {
		w := i.worth
		if w == (Worth{}) {
			w = runs.worth(i)
		}
		switch {
		case w == rerun, w == lookedOnly:
			return w
		case strings.HasPrefix(i.Detail, "[Request interrupted by user"):
			return passed
		case w == unsolved && editedSince(written, i):
			return edited
		case isCheck(i.Text):
			return w
		case taught().newest(i.Seq) > i.Seq:
			return again
		case taught().repeats(i, w == silent):
			return unsolved
		case w == unsolved && request > i.Seq && !lasting().MatchString(i.Detail):
			return passed
		default:
			return w
		}
	}
}

// isCheck reports whether a command tests, lints or builds.
func isCheck(command string) bool {
	return slices.ContainsFunc(tasks(command), func(t task) bool { return slices.ContainsFunc(purposes, t.has) })
}

// lasting matches reasons of a failure that hold on when the work does: what is missing, unreachable or not allowed here.
var lasting = text.Pattern(`(?i)command not found|is not recognized|no matches found|(?:cannot|could not|unable to|failed to) connect|connection (?:reset|closed)|resolve host|timed out|denied|refused|forbidden|unauthori[sz]ed|authenticat|credential|\bnot (?:installed|supported|allowed|available|permitted|logged|enabled)|unsupported|does(?: not|n't) exist|\bno (?:such (?:service|container|host|command|module)|module named)|has no attribute|cannot find module|out of memory|no space|already in use|rate limit|quota|would be overwritten|certificate|protected`)

// lessons are what failures say, by event, and for each saying the newest failure with it and how many commands had it.
type lessons struct {
	commands projections.List[projections.CommandState]
	by       map[uint64][]string
	who      map[string]taughtBy
}

type taughtBy struct {
	newest   uint64
	command  string
	commands int
}

func lessonsOf(commands projections.List[projections.CommandState]) lessons {
	l := lessons{commands, map[uint64][]string{}, map[string]taughtBy{}}
	for c := range commands.All() {
		if c.OK || c.Undecided() || isCheck(c.Command) {
			continue
		}
		said := slices.Clone(sayings.of(c.Error))
		for i := range said {
			if i == 0 {
				said[i] = programOf(c.Command) + " " + said[i]
			}
			t := l.who[said[i]]
			if t.newest = c.Seq; t.command != c.Command {
				t.command = c.Command
				t.commands++
			}
			l.who[said[i]] = t
		}
		l.by[c.Seq] = said
	}
	return l
}

// programOf returns the program of a command's first task, with the host of ssh.
func programOf(command string) string {
	done := tasks(command)
	if len(done) == 0 {
		return ""
	}
	host := slices.IndexFunc(done[0].targets, func(w string) bool { return strings.Contains(w, "@") })
	if program := done[0].words[0]; program != "ssh" || host < 0 {
		return program
	}
	return done[0].targets[host]
}

// newest returns the newest failure that says the same.
func (l lessons) newest(seq uint64) (newest uint64) {
	for _, s := range l.by[seq] {
		newest = max(newest, l.who[s].newest)
	}
	return newest
}

// repeats reports whether another command failed in the same way; without a word, only if the program did not work since.
func (l lessons) repeats(i Item, silent bool) bool {
	if !slices.ContainsFunc(l.by[i.Seq], func(s string) bool { return l.who[s].commands > 1 }) {
		return false
	}
	for c := range l.commands.Backward() {
		if !silent || c.Seq <= i.Seq {
			break
		}
		if c.OK && !c.Undecided() && programOf(c.Command) == programOf(i.Text) {
			return false
		}
	}
	return true
}

// sayings returns what an error says, without numbers and names, and the names that it quotes. How a program is called
// teaches nothing.
var sayings = recent[[]string]{made: func(detail string) []string {
	if usageError().MatchString(detail) {
		return nil
	}
	said, silent := "", emptyErrors.of(detail)
	for line := range strings.Lines(detail) {
		line = strings.TrimSpace(line)
		if saysWhy().MatchString(line) || lasting().MatchString(line) || silent && strings.Contains(line, "xit code ") {
			said = line
			break
		}
	}
	if said == "" {
		return nil
	}
	all := []string{named().ReplaceAllString(said, "")}
	for _, name := range named().FindAllString(said, -1) {
		if name = strings.Trim(name, "'\"`‘’"); len(name) > 6 && strings.ContainsAny(name, "/._-") {
			all = append(all, name)
		}
	}
	return all
}}

// named matches what is quoted, and numbers.
var named = text.Pattern("'[^']*'|\"[^\"]*\"|`[^`]*`|‘[^’]*’|\\d+")

// blamed matches a line of a file that an error names; blamedLines returns all matches.
var (
	blamed      = text.Pattern(`(?m)^\s*(?:([\w./@-]+\.\w+)[:(]\d+|At (\S.*\.\w+):\d+ char:\d+)`)
	blamedLines = recent[[][]string]{made: func(detail string) [][]string { return blamed().FindAllStringSubmatch(detail, -1) }}
)

// editedSince reports whether every file whose lines an error names was written after the error. The written files are
// listed by their names without a directory.
func editedSince(written map[string][]projections.FileState, i Item) bool {
	named := blamedLines.of(i.Detail)
	return len(named) > 0 && !slices.ContainsFunc(named, func(line []string) bool {
		end := strings.TrimPrefix(strings.TrimPrefix(projections.Slashed(line[1]+line[2]), "."), "/")
		return !slices.ContainsFunc(written[path.Base(end)], func(f projections.FileState) bool {
			return f.Wrote > i.Seq && (f.Path == end || strings.HasSuffix(f.Path, "/"+end))
		})
	})
}

// laterRuns indexes the runs of commands, newest first. It reads them when the first failure asks.
type laterRuns struct {
	commands projections.List[projections.CommandState]
	newest   map[*task]bool // tasks in the indexes below, each by its newest run; nil before read
	// Runs of all tests, by the keys of their tasks: the action alone, for runs without targets or with a pattern, and
	// the action with each target.
	byKey   map[string][]run
	runners []run            // runs of whole projects
	picked  map[string][]run // runs of tests picked by name, by each pattern without anchors
	lengths []int            // of the keys of picked, each once
	commits uint64           // sequence of the newest commit
}

// worth rates a failure by the runs after it.
func (l *laterRuns) worth(i Item) Worth {
	done := tasks(i.Text)
	if telling := slices.DeleteFunc(slices.Clone(done), task.isAside); len(telling) > 0 {
		done = telling
	}
	if len(done) == 0 {
		if looking := func(words []string) bool { return len(taskOfWords(words).words) > 0 || isQuery(words) }; slices.ContainsFunc(shell.Commands(i.Text), looking) {
			return lookedOnly
		}
		return standsOr(emptyErrors.of(i.Detail))
	}
	if one := slices.IndexFunc(done, func(t task) bool { return t.isBlamed(i.Detail) }); one >= 0 {
		done = done[one : one+1]
	}
	l.read()
	if l.failedRanSince(i) {
		return rerun
	}
	conflict := strings.Contains(i.Detail, "CONFLICT")
	for n := range done {
		t := &done[n]
		concluded := conflict && t.isGit(gitJoins...) && l.commits > i.Seq
		covers := func(r run) bool { return t.coveredBy(r.task) }
		settled := since(i.Seq, l.byKey[t.action], covers) || since(i.Seq, l.byKey[targetKey(t.action, t.targets)], covers) || since(i.Seq, l.runners, covers) ||
			len(t.picks.patterns) > 0 && l.pickedSince(i.Seq, t.picks.patterns[0].text, covers)
		if !concluded && !settled {
			return standsOr(emptyErrors.of(i.Detail))
		}
	}
	return rerun
}

// standsOr returns the worth of a failure that no later run mended, by whether it said nothing.
func standsOr(empty bool) Worth {
	if empty {
		return silent
	}
	return unsolved
}

// failedRanSince reports whether every test that a failure names was run by name since.
func (l *laterRuns) failedRanSince(i Item) bool {
	failed := failedTests.of(i.Detail)
	return len(failed) > 0 && len(failed) < maxNamed && !slices.ContainsFunc(failed, func(name []string) bool {
		test := selectionOf(name[1])
		return !l.pickedSince(i.Seq, name[1], func(r run) bool { return r.picks.include(test) })
	})
}

// pickedSince reports whether ok holds for a run after seq that picked tests by a part of name. Whatever picks name is a
// part of it, and looking up its parts is faster than trying each pattern.
func (l *laterRuns) pickedSince(seq uint64, name string, ok func(run) bool) bool {
	for _, n := range l.lengths {
		for at := 0; at+n <= len(name); at++ {
			if since(seq, l.picked[name[at:at+n]], ok) {
				return true
			}
		}
	}
	return false
}

// since reports whether ok holds for one of the runs after seq. The runs are sorted, newest first.
func since(seq uint64, runs []run, ok func(run) bool) bool {
	for _, r := range runs {
		if r.seq <= seq || ok(r) {
			return r.seq > seq
		}
	}
	return false
}

// maxNamed is how many failed tests an outcome names at most; with that many, there may be more.
const maxNamed = 3

// failedTest matches the name of a failed test; failedTests returns the first maxNamed matches.
var (
	failedTest  = text.Pattern(`\bFAIL: ([\w/]+)`)
	failedTests = recent[[][]string]{made: func(detail string) [][]string { return failedTest().FindAllStringSubmatch(detail, maxNamed) }}
)

// failed matches a line that says only that something failed.
var failed = text.Pattern(`(?i)^\s*(?:\[[\w:.-]+\]\s*)?(?:error|fail(?:\s+[\w.-]+/[\w./-]+)?|failed|task failed|error:? task failed|exit (?:code|status) \d+|background command .* failed with exit code \d+|error: script \S+ exited with code \d+|ERR_PNPM_\w*FAIL\b.*|npm err! .*)?\s*$`)

// usageError matches the output of a program or a server that does not know its arguments, and of a shell or a filter that
// cannot read what was written for it.
var usageError = text.Pattern(`(?i)^(?:\S+ )*(?:unknown|unrecognized|invalid|illegal) (?:option|flag|argument|subcommand)|^usage: |\(HTTP 4(?:04|22)\)|(?m:^jq: |^At line:\d|syntax error near|unexpected EOF while looking|parse error near)`)

// emptyErrors says of which errors every line is such a line, or that they are about how the program was called.
var emptyErrors = recent[bool]{made: func(detail string) bool {
	if usageError().MatchString(detail) {
		return true
	}
	for line := range strings.Lines(detail) {
		if !failed().MatchString(strings.TrimRight(line, "\r\n")) {
			return false
		}
	}
	return detail != ""
}}

// read indexes the commands, once.
func (l *laterRuns) read() {
	if l.newest != nil {
		return
	}
	n := l.commands.Len()
	l.newest, l.byKey, l.picked = make(map[*task]bool, n), map[string][]run{}, make(map[string][]run, n)
	for c := range l.commands.Backward() {
		if !c.Undecided() {
			l.note(c)
		}
	}
}

// note adds a command to the indexes. It skips tasks that a later command ran too.
func (l *laterRuns) note(c projections.CommandState) {
	all := tasks(c.Command)
	for n := range all {
		t := &all[n]
		if l.newest[t] {
			continue
		}
		l.newest[t] = true
		r := run{c.Seq, t}
		if t.narrow == "" {
			for _, key := range t.keys {
				l.byKey[key] = append(l.byKey[key], r)
			}
			if slices.Contains(runners, t.words[0]) && len(t.targets) == 0 {
				l.runners = append(l.runners, r)
			}
		}
		for _, p := range t.picks.patterns {
			if l.picked[p.bare] == nil && !slices.Contains(l.lengths, len(p.bare)) {
				l.lengths = append(l.lengths, len(p.bare))
			}
			l.picked[p.bare] = append(l.picked[p.bare], r)
		}
		if t.isGit("commit") {
			l.commits = max(l.commits, c.Seq)
		}
	}
}

// run is one run of a task.
type run struct {
	seq uint64
	*task
}

// task is what one simple command does: the program and the plain words after it, the targets, and which part of them.
type task struct {
	words   []string
	targets []string
	narrow  string
	picks   selection // narrow, taken apart
	action  string    // words, joined, or those that mean the same
	does    []string  // its action, and "build" for those of go and cargo that build first
	keys    []string  // its keys in laterRuns.byKey
}

// targetKey returns the key of an action and the first of its targets, "" without targets. A run with at least these
// targets has the same key among its own.
func targetKey(action string, targets []string) string {
	if len(targets) == 0 {
		return ""
	}
	return action + "\x00\x00" + targets[0]
}

func (t task) actions() []string {
	if len(t.words) == 2 && slices.Contains([]string{"go", "cargo"}, t.words[0]) && slices.Contains([]string{"vet", "check", "clippy", "test"}, t.words[1]) {
		return []string{t.action, t.words[0] + "\x00build"}
	}
	return []string{t.action}
}

// tasks returns what a shell command does, without moving around and looking. It skips commands that a task is piped
// into: they only look at its output.
func tasks(command string) []task { return readTasks.of(command) }

var readTasks = recent[[]task]{made: func(command string) []task {
	var all []task
	piped := false
	for _, part := range shell.Split(command) {
		t := taskOfWords(part.Words)
		if files := shell.Written(part.Words); len(files) > 0 && len(t.words) > 0 && onlyLooks(t.words) {
			t = task{words: []string{write}, targets: files[len(files)-1:]}
		}
		is := !piped && len(t.words) > 0 && !onlyLooks(t.words) && !isQuery(part.Words)
		if is {
			t.action, t.picks = cmp.Or(t.action, strings.Join(t.words, "\x00")), selectionOf(t.narrow)
			t.does = t.actions()
			for _, action := range t.does {
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
		piped = part.Op == "|" && (piped || is)
	}
	return all
}}

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
		case isPlain(w) && len(t.targets) == 0:
			t.words = append(t.words, w)
		case w != "." && w != "./...":
			t.targets = append(t.targets, w)
		}
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

// coveredBy reports whether a run of other does at least what t does.
func (t *task) coveredBy(other *task) bool {
	if slices.Contains(other.does, t.action) {
		return other.picks.include(t.picks) && (len(other.targets) == 0 || len(t.targets) > 0 &&
			!slices.ContainsFunc(t.targets, func(w string) bool {
				return !slices.ContainsFunc(other.targets, func(o string) bool { return covers(o, w) })
			}))
	}
	if !slices.Contains(runners, other.words[0]) || other.narrow != "" || len(other.targets) > 0 {
		return false
	}
	compiled := t.has("build") && !slices.Contains(runners, t.words[0]) && other.has("test") // testing builds first
	return compiled || slices.ContainsFunc(purposes, func(p string) bool { return t.has(p) && other.has(p) })
}

// selection is which tests a run picks by name.
type selection struct {
	all      string
	patterns []pattern // any of them picks a test; none without a name
}

// pattern is one name of a selection. It picks every test whose name contains it, and may be anchored by ^ or $.
type pattern struct {
	text, bare string // with and without anchors
	begin, end bool
}

func selectionOf(narrow string) selection {
	s := selection{all: narrow}
	if narrow != "" {
		for p := range strings.SplitSeq(narrow, "|") {
			p = strings.TrimSpace(p)
			s.patterns = append(s.patterns, pattern{p, strings.Trim(p, "^$"), strings.HasPrefix(p, "^"), strings.HasSuffix(p, "$")})
		}
	}
	return s
}

// include reports whether every test that part picks is among those of s.
func (s selection) include(part selection) bool {
	if s.all == "" || s.all == part.all {
		return true
	}
	for _, name := range part.patterns {
		if !slices.ContainsFunc(s.patterns, func(p pattern) bool { return p.includes(name) }) {
			return false
		}
	}
	return part.all != ""
}

// includes reports whether the pattern picks every test that name picks.
func (p pattern) includes(name pattern) bool {
	return len(p.bare) <= len(name.text) && (!p.end || name.end) && strings.Contains(name.text, p.bare) &&
		(!p.begin || name.begin || strings.HasPrefix(name.text, p.text[1:]))
}

// covers reports whether a path or a /... pattern includes another.
func covers(all, part string) bool {
	if all == part {
		return true
	}
	all, dirs := strings.CutSuffix(all, "...")
	return dirs && strings.HasPrefix(part, all)
}

// runners run the tasks of a project by name, whatever program does the work. purposes relate their tasks to other
// commands: "make test" covers the one test that failed.
var (
	runners  = []string{"mise", "make", "just", "task", "npm", "pnpm", "yarn", "bun"}
	purposes = []string{"test", "lint", "build"}
)

// isBlamed reports whether the error names this task as what failed, as runners do: "[lint] ERROR".
func (t task) isBlamed(detail string) bool {
	return slices.Contains(runners, t.words[0]) && strings.Contains(detail, "["+t.words[len(t.words)-1]+"] ERROR ")
}

func (t task) has(purpose string) bool {
	return slices.ContainsFunc(t.words, func(w string) bool { return strings.Contains(w, purpose) })
}

// write is what programs do that only look, when they are told to write a file.
const write = "write"

// looking lists programs that change and check nothing.
var looking = []string{
	"cd", "pushd", "popd", "echo", "printf", "cat", "head", "tail", "less", "grep", "rg", "egrep", "ls", "find", "fd", "wc", "sort", "uniq",
	"cut", "tr", "jq", "yq", "awk", "sed", "diff", "cmp", "tee", "xxd", "od", "tree", "du", "ps", "date", "readlink", "realpath", "true", "false", "test", "[", "pwd", "which", "type", "file", "stat", "sleep",
	"export", "set", "source", "do", "done", "then", "fi", "if", "for", "while", "xargs",
	"dir", "where", "get-childitem", "get-content", "get-item", "select-string", "select-object", "test-path", "set-location", "write-output", "start-sleep",
}

// isAside reports whether a task is seldom the one that failed when there are others: it writes a file, formats code or
// prepares the tree.
func (t task) isAside() bool {
	return t.words[0] == write || t.has("fmt") || t.has("format") || t.isGit("add", "checkout", "stash", "switch", "restore")
}

// gitLooks lists the subcommands of git that only look.
var gitLooks = []string{"show", "log", "diff", "status", "branch", "rev-parse", "ls-files", "ls-tree", "cat-file", "blame", "remote", "fetch", "grep", "ls-remote", "rev-list", "merge-base", "describe", "reflog", "shortlog", "check-ignore"}

// hubLooks lists the subcommands of gh that only look.
var hubLooks = []string{"view", "checks", "diff", "list", "status", "search"}

// gitJoins lists the subcommands that stop at a conflict; a commit continues from there.
var gitJoins = []string{"merge", "rebase", "cherry-pick", "pull", "revert"}

func (t task) isGit(subcommands ...string) bool {
	return t.words[0] == "git" && len(t.words) > 1 && slices.Contains(subcommands, t.words[1])
}

// isQuery reports whether a command only prints its version or help, reads a git setting, or gets data from GitHub: `gh
// api` without fields or another method.
func isQuery(words []string) bool {
	if slices.Contains(words, "--version") || slices.Contains(words, "--help") {
		return true
	}
	if t := taskOfWords(words); len(t.words) > 1 && t.isGit("config") {
		return len(t.words)+len(t.targets) < 4 && !slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "--unset") || w == "--add" })
	}
	at := slices.Index(words, "gh")
	return at >= 0 && at+1 < len(words) && words[at+1] == "api" && !slices.ContainsFunc(words[at+2:], func(w string) bool {
		name, _, _ := strings.Cut(w, "=")
		return slices.Contains([]string{"-X", "--method", "-f", "-F", "--field", "--raw-field", "--input"}, name)
	})
}

func onlyLooks(words []string) bool {
	return slices.Contains(looking, strings.ToLower(words[0])) || task{words: words}.isGit(gitLooks...) ||
		words[0] == "gh" && slices.ContainsFunc(words, func(w string) bool { return slices.Contains(hubLooks, w) })
}
