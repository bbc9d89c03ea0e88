package knowledge

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"journal/events/shell"
	"journal/events/shell/failure"
	"journal/events/text"
	"journal/projections"
)

// Worths of failed commands. They have no Rank: audits do not ask for failures.
var (
	unsolved = Worth{Items: "commands that failed, and no later run fixed"}
	readOnly = Worth{Items: "commands that only look and found nothing"}
	rerun    = Worth{Items: "commands that failed and were run again"}
	silent   = Worth{Items: "commands that failed and said nothing but that, or how they are called or written"}
	edited   = Worth{Items: "commands that failed on lines of files that were written since"}
	passed   = Worth{Items: "commands that failed before the newest request, or that the person stopped"}
)

// rateFailure rates failed commands. A failure no longer counts when a later run of the same task worked, or failed again:
// then the later run counts. It also no longer counts when edits may have fixed it, when the person stopped the command, or when
// the person went on, unless it is of a check or has a lasting reason.
func rateFailure(f *projections.Fold) func(Item) Worth {
	runs, written := laterRuns{commands: projections.Commands.In(f)}, editsOf(f)
	request := newestRequest(f)
	return func(i Item) Worth {
		w := runs.worth(i)
		switch {
		case w == rerun, w == readOnly:
			return w
		case strings.HasPrefix(i.Detail, "[Request interrupted by user"):
			return passed
		case w == unsolved && written.mayFix(i):
			return edited
		case w == unsolved && passedBy(i, request) && !isCheck(i.Text):
			return passed
		}
		return w
	}
}

// lasting matches reasons that the next work does not remove: something is missing, unreachable or not allowed here.
var lasting = text.Pattern(`(?i)command not found|is not recognized|no matches found|(?:cannot|could not|unable to|failed to) connect|connection (?:reset|closed)|resolve host|timed out|denied|refused|forbidden|unauthori[sz]ed|authenticat|credential|\bnot (?:installed|supported|allowed|available|permitted|logged|enabled)|unsupported|does(?: not|n't) exist|\bno (?:such (?:service|container|host|command|module)|module named)|has no attribute|cannot find module|out of memory|no space|already in use|rate limit|quota|would be overwritten|certificate|password|protected`)

// passedBy reports whether the person went on after a failure without a lasting reason. request is the newest request.
func passedBy(i Item, request uint64) bool {
	return request > i.Seq && !lasting().MatchString(i.Detail)
}

// edits holds the files that an agent and its subagents wrote, newest first, without the client's plans.
type edits struct {
	files  []projections.FileState
	byName map[string][]projections.FileState // by name without directory
}

// editsOf returns the edits in a fold that holds Files and SubagentFiles.
func editsOf(f *projections.Fold) edits {
	e := edits{byName: map[string][]projections.FileState{}}
	for _, state := range []projections.FilesState{projections.Files.In(f), projections.SubagentFiles.In(f)} {
		for file := range state.All() {
			if file.Path = projections.Slashed(file.Path); file.WrittenSeq > 0 && !planFile().MatchString(file.Path) {
				e.files = append(e.files, file)
				e.byName[path.Base(file.Path)] = append(e.byName[path.Base(file.Path)], file)
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

// after returns the files written after the event seq, newest first.
func (e edits) after(seq uint64) []projections.FileState {
	if i := slices.IndexFunc(e.files, func(f projections.FileState) bool { return f.WrittenSeq <= seq }); i >= 0 {
		return e.files[:i]
	}
	return e.files
}

// since returns the names of the files written after the event seq, as namesOf does.
func (e edits) since(seq uint64) string { return namesOf(e.after(seq)) }

// namesOf returns the names of the first maxEdits files, and the number of the others.
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

// mayFix reports whether edits after a failure may have fixed it: every file whose lines the error names was written since.
// For a test, any other source file with its extension counts too.
func (e edits) mayFix(i Item) bool {
	places := blamedLines.get(i.Detail)
	for _, place := range places {
		file := strings.TrimPrefix(strings.TrimPrefix(projections.Slashed(place[1]+place[2]), "."), "/")
		if slices.ContainsFunc(e.byName[path.Base(file)], func(f projections.FileState) bool {
			return f.WrittenSeq > i.Seq && (f.Path == file || strings.HasSuffix(f.Path, "/"+file))
		}) {
			continue
		}
		isSource := func(f projections.FileState) bool {
			return path.Ext(f.Path) == path.Ext(file) && !text.IsTest(f.Path)
		}
		if !text.IsTest(file) || !slices.ContainsFunc(e.after(i.Seq), isSource) {
			return false
		}
	}
	return len(places) > 0
}

// blamed matches the place of an error: a file with the number of a line, or with a test. blamedLines returns all matches.
var (
	blamed      = text.Pattern(`(?m)^\s*(?:FAILED |--> |❯ )?(?:([\w./@-]+\.\w+)(?:[:(]\d+|::)|At (\S.*\.\w+):\d+ char:\d+)`)
	blamedLines = cache[[][]string]{compute: func(detail string) [][]string { return blamed().FindAllStringSubmatch(detail, -1) }}
)

// laterRuns indexes the newest run of each task. read fills the fields below call, each list newest first. The indexes
// avoid comparing each failure with all later runs of a long session.
type laterRuns struct {
	commands projections.List[projections.CommandState]
	call     projections.CallState // the newest

	byKey   map[string][]run // runs that pick no tests by name, by task.keys; nil before read
	runners []run            // those of runners without targets: they are of the whole project
	picked  map[string][]run // runs of tests picked by name, by each pattern without anchors
	lengths []int            // of the keys of picked, each once
	commit  uint64           // sequence of the newest commit
}

// conflictMark begins git's line about a file that it could not merge.
const conflictMark = "CONFLICT"

// worth rates a failure by the runs after it.
func (l *laterRuns) worth(i Item) Worth {
	failed := failedTasks(i)
	if len(failed) == 0 {
		// Commands that only read have no task. Neither has what is no command at all.
		hasProgram := func(words []string) bool { return len(taskOfWords(words).words) > 0 || isQuery(words) }
		if slices.ContainsFunc(shell.Commands(i.Text), hasProgram) {
			return readOnly
		}
		return withoutLaterRun(i)
	}
	l.read()
	if l.testsRanSince(i) || l.ranAgain(i, failed) {
		return rerun
	}
	return withoutLaterRun(i)
}

// failedTasks returns the tasks of a failed command that probably failed: the blamed one, or else those that are not aside, or else all.
func failedTasks(i Item) []task {
	done := tasks(i.Text)
	if n := slices.IndexFunc(done, func(t task) bool { return t.isBlamed(i.Detail) }); n >= 0 {
		return done[n : n+1]
	}
	if primary := slices.DeleteFunc(slices.Clone(done), task.isAside); len(primary) > 0 {
		return primary
	}
	return done
}

// ranAgain reports whether each of the tasks that failed was run since, or a merge with conflicts was concluded.
func (l *laterRuns) ranAgain(i Item, failed []task) bool {
	conflict := strings.Contains(i.Detail, conflictMark)
	for n := range failed {
		t := &failed[n]
		if conflict && t.isGit(gitMergers...) && l.commit > i.Seq {
			continue
		}
		covers := func(r run) bool { return t.coveredBy(r.task) }
		settled := anySince(i.Seq, l.byKey[t.action], covers) || anySince(i.Seq, l.byKey[targetKey(t.action, t.targets)], covers) || anySince(i.Seq, l.runners, covers)
		if !settled && len(t.picks.patterns) > 0 { // a run that picks all of its tests picks the first one
			settled = l.pickedSince(i.Seq, t.picks.patterns[0].bare, covers)
		}
		if !settled {
			return false
		}
	}
	return true
}

// withoutLaterRun returns the worth of a failure that no later run replaced.
func withoutLaterRun(i Item) Worth {
	if emptyErrors.get(i.Detail) {
		return silent
	}
	return unsolved
}

// testsRanSince reports whether every test that a failure names was run by name since. It is false if the failure names none.
func (l *laterRuns) testsRanSince(i Item) bool {
	failed := failedTests.get(i.Detail)
	return len(failed) > 0 && !slices.ContainsFunc(failed, func(name string) bool { return !l.ranSince(i, name, false) })
}

// ranSince reports whether a test of a failure was run by name since, and if passed is set, whether such a run passed.
func (l *laterRuns) ranSince(i Item, name string, passed bool) bool {
	failed := failedTasks(i)
	return l.pickedSince(i.Seq, name, func(r run) bool {
		elsewhere := len(failed) > 0 && !slices.ContainsFunc(failed, func(t task) bool { return t.action != r.action || mayShare(t.targets, r.targets) })
		return (r.ok || !passed) && !elsewhere && r.picks.picksTest(name)
	})
}

// mayShare reports whether a target equals or contains one of the others, or the other way round, as far as their names tell. A command
// without targets may have any.
func mayShare(targets, others []string) bool {
	dir := func(target string) string {
		return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSuffix(target, "..."), "./"), "/") + "/"
	}
	within := func(a, b string) bool { return dir(b) == "/" || strings.HasPrefix(dir(a), dir(b)) }
	return len(targets) == 0 || len(others) == 0 || slices.ContainsFunc(targets, func(a string) bool {
		return slices.ContainsFunc(others, func(b string) bool { return within(a, b) || within(b, a) })
	})
}

// withoutPassed returns the error of a failure without the lines about tests that passed since, when they were run by name. If every
// test that the failure names passed, it returns all lines, and all is true.
func (l *laterRuns) withoutPassed(i Item) (open string, all bool) {
	l.read()
	passed := func(name string) bool { return l.ranSince(i, name, true) }
	failed := failedTests.get(i.Detail)
	if len(failed) == 0 {
		return i.Detail, false
	}
	if !slices.ContainsFunc(failed, func(name string) bool { return !passed(name) }) {
		return i.Detail, true
	}
	lines := slices.DeleteFunc(strings.SplitAfter(i.Detail, "\n"), func(line string) bool {
		names := failedTests.get(line)
		return len(names) == 1 && passed(names[0])
	})
	return strings.TrimSuffix(strings.Join(lines, ""), "\n"), false
}

// testedSince reports whether all tests of a project were run since the event seq, and passed.
func (l *laterRuns) testedSince(seq uint64) bool {
	for c := range l.commands.Backward() {
		if c.Seq <= seq {
			break
		}
		if c.OK && slices.ContainsFunc(tasks(c.Command), func(t task) bool { return t.narrow == "" && t.has("test") && slices.Contains(t.keys, t.action) }) {
			return true
		}
	}
	return false
}

// isRunning reports whether the newest call has not ended and does at least what one task of a failed command did.
func (l *laterRuns) isRunning(i Item) bool {
	if l.call.Outcome != projections.CallBegun {
		return false
	}
	done, running := tasks(i.Text), tasks(l.call.Target)
	return slices.ContainsFunc(done, func(t task) bool {
		return slices.ContainsFunc(running, func(r task) bool { return t.coveredBy(&r) })
	})
}

// pickedSince reports whether ok holds for a run after seq that picked tests by a part of name. It looks up all parts of
// name, which is faster than trying each pattern.
func (l *laterRuns) pickedSince(seq uint64, name string, ok func(run) bool) bool {
	for _, n := range l.lengths {
		for from := 0; from+n <= len(name); from++ {
			if anySince(seq, l.picked[name[from:from+n]], ok) {
				return true
			}
		}
	}
	return false
}

// anySince reports whether ok holds for one of the runs after seq. The runs are sorted, newest first.
func anySince(seq uint64, runs []run, ok func(run) bool) bool {
	for _, r := range runs {
		if r.seq <= seq {
			return false
		}
		if ok(r) {
			return true
		}
	}
	return false
}

// maxNamed is the greatest number of failed tests that an outcome names. If it names so many, more may have failed.
const maxNamed = 3

// failedTest matches the name of a failed test. failedTests returns all names, but none if a line has maxNamed.
var (
	failedTest  = text.Pattern(`\bFAIL(?:: ((?:[^\s:,]|::| [>›] )+)|ED \S+::([\w/]+))`)
	failedTests = cache[[]string]{compute: func(detail string) (names []string) {
		for line := range strings.Lines(detail) {
			matches := failedTest().FindAllStringSubmatch(line, maxNamed)
			if len(matches) == maxNamed {
				return nil
			}
			for _, m := range matches {
				names = append(names, m[1]+m[2])
			}
		}
		return names
	}}
)

// bareFailure matches a line that reports a failure without its reason, or an empty line.
var bareFailure = text.Pattern(`(?i)^\s*(?:\[[\w:.-]+\]\s*)?(?:error|fail(?:\s+[\w.-]+/[\w./-]+)?|failed|task failed|error:? task failed|exit (?:code|status) \d+|background command .* failed with exit code \d+|error: script \S+ exited with code \d+|ERR_PNPM_\w*FAIL\b.*|npm err! .*)?\s*$`)

// usageError matches errors about arguments, from a program, a server or cd, and syntax errors of a shell or a filter.
var usageError = text.Pattern(`(?i)^(?:\S+ )*(?:unknown|unrecognized|invalid|illegal) (?:option|flag|argument|subcommand)|^usage: |\(HTTP 4(?:04|22)\)|(?m:^jq: |^At line:\d|syntax error near|unexpected EOF while looking|parse error near)|\bcd:(?:\d+:)? (?:.*no such file or directory|can't cd to )`)

// emptyErrors reports whether an error has only lines without a reason, or is a usageError.
var emptyErrors = cache[bool]{compute: func(detail string) bool {
	if usageError().MatchString(detail) {
		return true
	}
	for line := range strings.Lines(detail) {
		if !bareFailure().MatchString(strings.TrimRight(line, "\r\n")) {
			return false
		}
	}
	return detail != ""
}}

// read indexes the commands, once. It skips tasks of a command that ran again later.
func (l *laterRuns) read() {
	if l.byKey != nil {
		return
	}
	l.byKey, l.picked = map[string][]run{}, map[string][]run{}
	indexed := map[*task]bool{}
	for c := range l.commands.Backward() {
		all := tasks(c.Command)
		shown := c.Outcome != "" || !failure.Hides(c.Command) // else a pipe cut off the result
		testsRan := !c.OK || shown && !strings.Contains(c.Outcome, failure.NoTests)
		for n := range all {
			t := &all[n]
			if c.Undecided() || indexed[t] {
				continue
			}
			indexed[t] = true
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
				if !testsRan {
					break
				}
				if l.picked[p.bare] == nil && !slices.Contains(l.lengths, len(p.bare)) {
					l.lengths = append(l.lengths, len(p.bare))
				}
				l.picked[p.bare] = append(l.picked[p.bare], r)
			}
			if t.isGit("commit") {
				l.commit = max(l.commit, c.Seq)
			}
		}
	}
}

// run is one run of a task.
type run struct {
	seq uint64
	ok  bool // it worked
	*task
}
