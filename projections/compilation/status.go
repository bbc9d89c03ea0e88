package compilation

import (
	"path"
	"slices"
	"strings"

	"journal/events"
	"journal/projections"
)

// Where a target stands.
const (
	Asks     = "language" // the person has to say its language (S2.3)
	Planned  = "planned"
	Running  = "running"  // begun, no result yet
	Stopped  = "stopped"  // what compiled it is over and left no result (S2.4)
	Failed   = "failed"   // the result says so
	Compiled = "compiled" // not validated since
	Asking   = "asking"   // the person has to say what is to be done about issues (S2.9)
	Healing  = "healing"  // CLAUDE.md and code are to be brought together
	Fixed    = "fixed"    // CLAUDE.md was to be corrected: it has to be validated
	Success  = "success"
	Warning  = "warning" // issues are left that the person ignores, or that three rounds did not mend
)

// Done says that nothing is left to do for a target.
func (t Target) Done() bool { return t.Status == Success || t.Status == Warning }

// settle derives where the target stands from what happened to it.
func (t *Target) settle() {
	switch {
	case t.Started == 0 && t.Finished == 0 && t.Language == "" && t.Mode != "":
		t.Status = Asks
	case t.Started == 0 && t.Finished == 0:
		t.Status = Planned
	case t.Started > t.Finished && t.Stopped > t.Started:
		t.Status = Stopped
	case t.Started > t.Finished:
		t.Status = Running
	case t.Validated >= t.Finished && t.Validated > 0:
		t.Status = t.judged()
	case failed(t.Outcome):
		t.Status = Failed
	default:
		t.Status = Compiled
	}
}

// judged gives where a validated target stands. Questions come first: they are asked
// though healing never ends.
func (t *Target) judged() string {
	switch {
	case t.Verdict == "good":
		return Success
	case len(t.Questions()) > 0:
		return Asking
	case t.exhausted():
		return Warning
	case len(t.toHeal()) > 0:
		return Healing
	case slices.ContainsFunc(t.Issues, func(i Issue) bool { return i.Answer == "fix_spec" }):
		return Fixed
	}
	return Warning
}

// exhausted says that the last of the rounds has been validated.
func (t *Target) exhausted() bool {
	return t.Rounds >= events.CompileTries && t.Acted < t.Validated
}

// act counts a round: the first heal or answer after a validation that found
// something. Heals and answers share one counter.
func (t *Target) act(seq uint64) {
	if t.Validated >= t.Finished && t.Acted < t.Validated && t.Verdict != "good" && t.Rounds < events.CompileTries {
		t.Rounds++
		t.Acted = seq
	}
}

// result takes what came of a target. The same result once more, with nothing begun since, is no
// new one: it was both observed and told.
func (s State) result(path string, e events.CompileFinished, at projections.At) State {
	if t, known := s.Target(path); known && t.Finished > 0 && t.Finished >= t.Started {
		again := t
		again.finish(e, projections.At{})
		if again.Tests == t.Tests && again.Outcome == t.Outcome && len(again.Generated) == len(t.Generated) &&
			len(again.Skipped) == len(t.Skipped) && len(again.Overwritten) == len(t.Overwritten) && len(again.Symbols) == len(t.Symbols) {
			return s
		}
	}
	return s.with(path, at, func(t *Target) { t.finish(e, at) })
}

// finish takes a result. A file is counted once, as generated when any result of the
// run says so.
func (t *Target) finish(e events.CompileFinished, at projections.At) {
	if t.Started <= t.Finished { // nobody said that it was begun
		t.begin(at, at.Lane)
	}
	if at.Lane != "" {
		t.Lane = at.Lane
	}
	join := joiner(t.Path, e)
	t.Generated = united(t.Generated, e.Generated, join)
	t.Overwritten = united(t.Overwritten, e.Overwritten, join)
	t.Skipped = slices.DeleteFunc(united(t.Skipped, e.Skipped, join), func(f string) bool { return slices.Contains(t.Generated, f) })
	if t.Tests, t.Outcome = e.Tests, e.Status; e.Retries > 0 {
		t.Try = e.Retries + 1
	}
	symbols := e.ModifiedSymbols
	if len(symbols) == 0 {
		symbols = e.Exports
	}
	t.Symbols = united(t.Symbols, symbols, func(s string) string { return s })
	if t.Language == "" {
		t.Language = e.Language
	}
	if e.Phase == "red" && !failed(e.Status) { // the tests are written; the rest is to follow
		t.Phase = "red"
		return
	}
	t.Finished = at.Seq
	if !failed(e.Status) {
		t.Phase = "done"
	}
}

// failed says whether a compiler calls its result a failure.
func failed(status string) bool {
	switch strings.ToLower(status) {
	case "failed", "failure", "fail", "error":
		return true
	}
	return false
}

// united gives both lists without repetition, in a list of its own.
func united(old, more []string, spell func(string) string) []string {
	all := slices.Clone(old)
	for _, s := range more {
		if s = spell(s); s != "" && !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// joiner gives the paths of a result's files below the project's root. They are
// relative to the target. Compilers that name them from the root do so for all of
// them: a single one that is not below the target tells them apart, because a target
// may have a directory of its own name in it.
func joiner(target string, e events.CompileFinished) func(string) string {
	fromRoot := target != "."
	for _, f := range slices.Concat(e.Generated, e.Skipped, e.Overwritten) {
		fromRoot = fromRoot && below(target, f)
	}
	return func(f string) string {
		if fromRoot {
			return path.Clean(f)
		}
		return path.Join(target, f)
	}
}

func below(dir, file string) bool {
	return dir == "." || strings.HasPrefix(path.Clean(file), dir+"/")
}

// Issue is an issue of a validation and what became of it.
type Issue struct {
	ID     string `json:"id"` // the same issue has the same in every validation
	Kind   string `json:"kind"`
	File   string `json:"file,omitempty"`
	Symbol string `json:"symbol,omitempty"`
	Detail string `json:"detail,omitempty"`
	// Related says that it is about what this run has made: it heals without a question. The
	// person is asked about every other one.
	Related bool   `json:"related"`
	Answer  string `json:"answer,omitempty"` // fix_spec, fix_code, ignore
}

// Questions lists the issues that the person has not said anything about.
func (t Target) Questions() []Issue {
	var open []Issue
	for _, i := range t.Issues {
		if !i.Related && i.Answer == "" {
			open = append(open, i)
		}
	}
	return open
}

// toHeal lists the issues that compiling again is to mend.
func (t Target) toHeal() []Issue {
	var all []Issue
	for _, i := range t.Issues {
		if i.Related && i.Answer != "ignore" || i.Answer == "fix_code" {
			all = append(all, i)
		}
	}
	return all
}

// validated takes a validation. One that follows another, with neither heal nor
// answer between them, takes its place.
func (s State) validated(e events.CompileValidated, at projections.At) State {
	issues := e.Issues
	if e.Verdict != "good" && len(issues) == 0 {
		issues = []events.CompileIssue{{}} // something is wrong, and nobody said what: that is a question
	}
	return s.with(e.Target, at, func(t *Target) {
		answered := map[string]string{}
		for _, i := range t.Issues {
			if i.Answer == "ignore" {
				answered[i.ID] = i.Answer
			}
		}
		t.Verdict, t.Issues = e.Verdict, nil
		for _, i := range issues {
			found := Issue{
				Kind: i.Kind, File: i.File, Symbol: i.Symbol, Detail: i.Detail, Related: s.related(*t, i),
				ID: issueID(t.Path, i),
			}
			found.Answer = answered[found.ID]
			t.Issues = append(t.Issues, found)
		}
		if t.Finished == 0 || t.Started > t.Finished { // it was compiled, and nobody said so
			t.Finished = at.Seq
		}
		t.Validated = at.Seq
	})
}

// issueID names an issue by what it says, so that it is the same in another validation:
// kind, file below the target and symbol.
func issueID(target string, i events.CompileIssue) string {
	if i.Kind == "" {
		return "unsaid"
	}
	return strings.TrimRight(i.Kind+":"+strings.TrimPrefix(i.File, target+"/")+":"+i.Symbol, ":")
}

// related says whether an issue is about what this run has made: its file is among
// the generated ones of any target, or its symbol among those modified in its own.
func (s State) related(t Target, i events.CompileIssue) bool {
	if i.File != "" {
		for _, other := range s.Targets {
			for _, f := range []string{path.Join(t.Path, i.File), path.Clean(i.File)} {
				if slices.Contains(other.Generated, f) || slices.Contains(other.Overwritten, f) {
					return true
				}
			}
		}
	}
	return i.Symbol != "" && slices.Contains(t.Symbols, i.Symbol)
}

func (s State) answered(e events.CompileAnswered, at projections.At) State {
	if _, known := s.Target(e.Target); !known {
		return s
	}
	return s.with(e.Target, at, func(t *Target) {
		if e.Language != "" {
			t.Language = e.Language
			return
		}
		t.Issues = slices.Clone(t.Issues)
		for n := range t.Issues {
			i := &t.Issues[n]
			if e.Issue == i.ID || e.Issue == "" && !i.Related && i.Answer == "" {
				i.Answer = e.Answer
				if e.Answer != "ignore" {
					t.act(at.Seq)
				}
			}
		}
	})
}
