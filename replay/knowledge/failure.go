package knowledge

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"journal/events/shell"
	"journal/events/text"
	"journal/projections"
)

var (
	unsolved   = Worth{Items: "commands that failed, and no later run fixed"}
	lookedOnly = Worth{Items: "commands that only look and found nothing"}
	rerun      = Worth{Items: "commands that failed and were run again"}
	silent     = Worth{Items: "commands that failed and said nothing but that, or how they are called or written"}
	edited     = Worth{Items: "commands that failed on lines of files that were written since"}
	repeated   = Worth{Items: "commands that failed as a later one did"}
	passed     = Worth{Items: "commands that failed before the newest request, or that the person stopped"}
)

// rateFailure rates failed commands. A failure no longer counts when a later run of the same task worked, or failed
// again: then the later run counts. It also does not count when the person went on, unless it is of a check or has a
// lasting reason.
func rateFailure(f *projections.Fold) func(Item) Worth {
	runs, written := laterRuns{commands: projections.Commands.In(f)}, editsOf(f)
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
		case w == unsolved && written.answer(i):
			return edited
		case isCheck(i.Text):
			return w
		case taught().newestAlike(i.Seq) > i.Seq:
			return repeated
		case taught().repeats(i, w == silent):
			return unsolved
		case w == unsolved && passedBy(i, request):
			return passed
		default:
			return w
		}
	}
}

// passedBy reports whether the person went on after a failure without a lasting reason.
func passedBy(i Item, request uint64) bool {
	return request > i.Seq && !lasting().MatchString(i.Detail)
}

// edits are the files that an agent and its subagents wrote, newest first, but for the client's plans.
type edits struct {
	files []projections.FileState
	named map[string][]projections.FileState // by their names without a directory
}

func editsOf(f *projections.Fold) edits {
	e := edits{named: map[string][]projections.FileState{}}
	for _, state := range []projections.FilesState{projections.Files.In(f), projections.SubagentFiles.In(f)} {
		for file := range state.All() {
			if file.Path = projections.Slashed(file.Path); file.WrittenSeq > 0 && !draft().MatchString(file.Path) {
				e.files = append(e.files, file)
				e.named[path.Base(file.Path)] = append(e.named[path.Base(file.Path)], file)
			}
		}
	}
	slices.SortStableFunc(e.files, func(a, b projections.FileState) int { return cmp.Compare(b.WrittenSeq, a.WrittenSeq) })
	return e
}

// maxEdits bounds the names of edited files in a text, and maxEditName one name in UTF-16 units.
const (
	maxEdits    = 4
	maxEditName = 60
)

// after returns the files written after an event, newest first.
func (e edits) after(seq uint64) []projections.FileState {
	if i := slices.IndexFunc(e.files, func(f projections.FileState) bool { return f.WrittenSeq <= seq }); i >= 0 {
		return e.files[:i]
	}
	return e.files
}

// since returns the names of the files written after an event.
func (e edits) since(seq uint64) string { return namesOf(e.after(seq)) }

// namesOf returns the names of the first files, and how many there are beyond them.
func namesOf(files []projections.FileState) string {
	var names []string
	for _, file := range files {
		if name := text.CutLine(path.Base(file.Path), maxEditName); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if more := len(names) - maxEdits; more > 0 {
		names = append(names[:maxEdits], fmt.Sprintf("+%d", more))
	}
	return strings.Join(names, ", ")
}

// answer reports whether every file whose lines an error names was written since, or for a test, other source files: the
// edits may have fixed it.
func (e edits) answer(i Item) bool {
	blamed := blamedLines.get(i.Detail)
	return len(blamed) > 0 && len(e.files) > 0 && e.files[0].WrittenSeq > i.Seq && !slices.ContainsFunc(blamed, func(line []string) bool {
		end := strings.TrimPrefix(strings.TrimPrefix(projections.Slashed(line[1]+line[2]), "."), "/")
		return !slices.ContainsFunc(e.named[path.Base(end)], func(f projections.FileState) bool {
			return f.WrittenSeq > i.Seq && (f.Path == end || strings.HasSuffix(f.Path, "/"+end))
		}) && !(text.IsTest(end) && slices.ContainsFunc(e.files, func(f projections.FileState) bool {
			return f.WrittenSeq > i.Seq && path.Ext(f.Path) == path.Ext(end) && !text.IsTest(f.Path)
		}))
	})
}

// blamed matches a line of a file that an error names; blamedLines returns all matches.
var (
	blamed      = text.Pattern(`(?m)^\s*(?:FAILED |--> |❯ )?(?:([\w./@-]+\.\w+)(?:[:(]\d+|::)|At (\S.*\.\w+):\d+ char:\d+)`)
	blamedLines = cache[[][]string]{compute: func(detail string) [][]string { return blamed().FindAllStringSubmatch(detail, -1) }}
)

// laterRuns indexes the runs of commands, newest first. It reads them when the first failure asks.
type laterRuns struct {
	commands projections.List[projections.CommandState]
	call     projections.CallState // the newest
	newest   map[*task]bool        // tasks in the indexes below, each by its newest run; nil before read
	// Runs of all tests, by the keys of their tasks: the action alone, for runs without targets or with a pattern, and
	// the action with each target.
	byKey   map[string][]run
	runners []run            // runs of whole projects
	picked  map[string][]run // runs of tests picked by name, by each pattern without anchors
	lengths []int            // of the keys of picked, each once
	commits uint64           // sequence of the newest commit
}

// conflictMark begins git's line about a file that it could not merge.
const conflictMark = "CONFLICT"

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
		return standsOr(emptyErrors.get(i.Detail))
	}
	if blamed := slices.IndexFunc(done, func(t task) bool { return t.isBlamed(i.Detail) }); blamed >= 0 {
		done = done[blamed : blamed+1]
	}
	l.read()
	if l.failedRanSince(i) {
		return rerun
	}
	conflict := strings.Contains(i.Detail, conflictMark)
	for n := range done {
		t := &done[n]
		concluded := conflict && t.isGit(gitJoins...) && l.commits > i.Seq
		covers := func(r run) bool { return t.coveredBy(r.task) }
		settled := since(i.Seq, l.byKey[t.action], covers) || since(i.Seq, l.byKey[targetKey(t.action, t.targets)], covers) || since(i.Seq, l.runners, covers) ||
			len(t.picks.patterns) > 0 && l.pickedSince(i.Seq, t.picks.patterns[0].text, covers)
		if !concluded && !settled {
			return standsOr(emptyErrors.get(i.Detail))
		}
	}
	return rerun
}

// standsOr returns the worth of a failure that no later run fixed; empty failures have no message.
func standsOr(empty bool) Worth {
	if empty {
		return silent
	}
	return unsolved
}

// failedRanSince reports whether every test that a failure names was run by name since.
func (l *laterRuns) failedRanSince(i Item) bool {
	failed := failedTests.get(i.Detail)
	return len(failed) > 0 && len(failed) < maxNamed && !slices.ContainsFunc(failed, func(name []string) bool {
		test := selectionOf(name[1])
		return !l.pickedSince(i.Seq, name[1], func(r run) bool { return r.picks.include(test) })
	})
}

// isRunning reports whether the newest call, which has not ended, runs the same.
func (l *laterRuns) isRunning(i Item) bool {
	if l.call.Outcome != projections.CallBegun {
		return false
	}
	done, running := tasks(i.Text), tasks(l.call.Target)
	return slices.ContainsFunc(done, func(t task) bool {
		return slices.ContainsFunc(running, func(r task) bool { return t.coveredBy(&r) })
	})
}

// passedAlone reports whether a test that a failure names was run by name since, and passed.
func (l *laterRuns) passedAlone(i Item) bool {
	return slices.ContainsFunc(failedTests.get(i.Detail), func(name []string) bool {
		test := selectionOf(name[1])
		return l.pickedSince(i.Seq, name[1], func(r run) bool { return r.ok && r.picks.include(test) })
	})
}

// pickedSince reports whether ok holds for a run after seq that picked tests by a part of name. Looking up the parts of
// name is faster than trying each pattern.
func (l *laterRuns) pickedSince(seq uint64, name string, ok func(run) bool) bool {
	for _, n := range l.lengths {
		for from := 0; from+n <= len(name); from++ {
			if since(seq, l.picked[name[from:from+n]], ok) {
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

// maxNamed bounds the failed tests that an outcome names; with that many, there may be more.
const maxNamed = 3

// failedTest matches the name of a failed test; failedTests returns the first maxNamed matches.
var (
	failedTest  = text.Pattern(`\bFAIL(?:: |ED \S+::)([\w/]+)`)
	failedTests = cache[[][]string]{compute: func(detail string) [][]string { return failedTest().FindAllStringSubmatch(detail, maxNamed) }}
)

// failed matches a line that reports a failure and no reason.
var failed = text.Pattern(`(?i)^\s*(?:\[[\w:.-]+\]\s*)?(?:error|fail(?:\s+[\w.-]+/[\w./-]+)?|failed|task failed|error:? task failed|exit (?:code|status) \d+|background command .* failed with exit code \d+|error: script \S+ exited with code \d+|ERR_PNPM_\w*FAIL\b.*|npm err! .*)?\s*$`)

// usageError matches errors about arguments, from a program or a server, and syntax errors of a shell or a filter.
var usageError = text.Pattern(`(?i)^(?:\S+ )*(?:unknown|unrecognized|invalid|illegal) (?:option|flag|argument|subcommand)|^usage: |\(HTTP 4(?:04|22)\)|(?m:^jq: |^At line:\d|syntax error near|unexpected EOF while looking|parse error near)`)

// emptyErrors reports whether an error has only lines without a reason, or is about the program's arguments.
var emptyErrors = cache[bool]{compute: func(detail string) bool {
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
		r := run{c.Seq, c.OK, t}
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
	ok  bool
	*task
}
