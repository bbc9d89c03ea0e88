package compilation

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"journal/events"
	"journal/projections"
)

// The statuses of a target.
const (
	NeedsLanguage = "language" // the person has to choose its language (S2.3)
	Planned       = "planned"
	Running       = "running"  // started, no result yet
	Stopped       = "stopped"  // its compiler ended without a result (S2.4)
	Failed        = "failed"   // according to the result
	Compiled      = "compiled" // not validated since
	NeedsAnswer   = "asking"   // the person has to decide about issues (S2.9)
	Healing       = "healing"  // CLAUDE.md and code are being reconciled
	Fixed         = "fixed"    // the person decided to correct CLAUDE.md, which has to be validated
	Success       = "success"
	Warning       = "warning" // issues remain that the person ignores, or that three rounds did not solve
)

// Done reports whether nothing is left to do for a target.
func (t Target) Done() bool { return t.Status == Success || t.Status == Warning }

// settle sets the status of a target.
func (t *Target) settle() {
	switch {
	case t.Started == 0 && t.Finished == 0 && t.Language == "" && t.Mode != "": // planned without a language
		t.Status = NeedsLanguage
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

// judged returns the status of a validated target. Questions come before healing, so that they are asked even if healing never
// ends.
func (t *Target) judged() string {
	switch {
	case t.Verdict == "good":
		return Success
	case len(t.Questions()) > 0:
		return NeedsAnswer
	case t.Rounds >= events.CompileTries && t.Acted < t.Validated: // the last round has been validated
		return Warning
	case slices.ContainsFunc(t.Issues, func(i Issue) bool { return i.Related && i.Answer != "ignore" || i.Answer == "fix_code" }):
		return Healing
	case slices.ContainsFunc(t.Issues, func(i Issue) bool { return i.Answer == "fix_spec" }):
		return Fixed
	}
	return Warning
}

// beginRound begins a round of heals or answers with the first of them after a validation that found issues.
func (t *Target) beginRound(seq uint64) {
	if t.Validated >= t.Finished && t.Acted < t.Validated && t.Verdict != "good" && t.Rounds < events.CompileTries {
		t.Rounds++
		t.Acted = seq
	}
}

// result applies a target's result. It ignores an equal result if the target was not started after the first: a command may report
// the same result as an observed file.
func (s State) result(target string, e events.CompileFinished, at projections.At) State {
	if t, known := s.Target(target); known && t.Finished > 0 && t.Finished >= t.Started {
		after := t
		after.finish(e, projections.At{})
		if after.Tests == t.Tests && after.Outcome == t.Outcome && after.listed() == t.listed() {
			return s
		}
	}
	return s.with(target, at, func(t *Target) { t.finish(e, at) })
}

// listed returns the lengths of the lists that results extend. They are equal after an equal result.
func (t *Target) listed() [4]int {
	return [...]int{len(t.Generated), len(t.Skipped), len(t.Overwritten), len(t.Symbols)}
}

// finish applies a result. Each file is listed once, and not as skipped if any result of the run has generated it.
func (t *Target) finish(e events.CompileFinished, at projections.At) {
	if t.Started <= t.Finished { // no start was reported for this result
		t.begin(at, at.Lane)
	}
	if at.Lane != "" {
		t.Lane = at.Lane
	}
	join := joiner(t.Path, e)
	t.Generated = united(t.Generated, e.Generated, join)
	t.Overwritten = united(t.Overwritten, e.Overwritten, join)
	t.Skipped = slices.DeleteFunc(united(t.Skipped, e.Skipped, join), func(f string) bool { return slices.Contains(t.Generated, f) })
	t.Tests, t.Outcome = e.Tests, e.Status
	if e.Retries > 0 {
		t.Try = e.Retries + 1
	}
	symbols := e.ModifiedSymbols
	if len(symbols) == 0 {
		symbols = e.Exports
	}
	t.Symbols = united(t.Symbols, symbols, func(s string) string { return s })
	t.Language = cmp.Or(t.Language, e.Language)
	if e.Phase == "red" && !failed(e.Status) { // the tests are written; the code follows
		t.Phase = "red"
		return
	}
	t.Finished = at.Seq
	if !failed(e.Status) {
		t.Phase = "done"
	}
}

// failed reports whether a compiler calls its result a failure.
func failed(status string) bool {
	return slices.Contains([]string{"failed", "failure", "fail", "error"}, strings.ToLower(status))
}

// united returns a new list of old and the converted elements of more, without duplicates and empty ones.
func united(old, more []string, convert func(string) string) []string {
	all := slices.Clone(old)
	for _, s := range more {
		if s = convert(s); s != "" && !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// joiner returns a function that makes a result's paths relative to the project's root. The paths of a result are relative to the
// target, unless all of them begin with the target's path. If only some do, the target contains a directory of its own name.
func joiner(target string, e events.CompileFinished) func(string) string {
	fromRoot := target != "."
	for _, f := range slices.Concat(e.Generated, e.Skipped, e.Overwritten) {
		fromRoot = fromRoot && below(target, f)
	}
	if fromRoot {
		target = ""
	}
	return func(f string) string { return path.Join(target, f) }
}

// below reports whether a file lies below a directory; both are relative to the project's root, which is ".".
func below(dir, file string) bool {
	return dir == "." || strings.HasPrefix(path.Clean(file), dir+"/")
}

// Issue is an issue of a validation, and the person's answer.
type Issue struct {
	ID     string `json:"id"` // the same issue has the same id in every validation
	Kind   string `json:"kind"`
	File   string `json:"file,omitempty"`
	Symbol string `json:"symbol,omitempty"`
	Detail string `json:"detail,omitempty"`
	// Related is set if the issue is about this run's work: it is healed without a question. The person is asked about every
	// other issue.
	Related bool   `json:"related"`
	Answer  string `json:"answer,omitempty"` // fix_spec, fix_code, ignore
}

// Questions lists the issues that wait for the person's answer.
func (t Target) Questions() []Issue {
	return slices.DeleteFunc(slices.Clone(t.Issues), func(i Issue) bool { return i.Related || i.Answer != "" })
}

// validated applies a validation, which replaces an earlier one. Issues that the person ignores stay ignored.
func (s State) validated(e events.CompileValidated, at projections.At) State {
	issues := e.Issues
	if e.Verdict != "good" && len(issues) == 0 {
		issues = []events.CompileIssue{{}} // a question about the whole target
	}
	return s.with(e.Target, at, func(t *Target) {
		before := t.Issues
		t.Verdict, t.Issues = e.Verdict, nil
		for _, i := range issues {
			found := Issue{
				ID: issueID(t.Path, i), Kind: i.Kind, File: i.File, Symbol: i.Symbol, Detail: i.Detail, Related: s.related(*t, i),
			}
			if slices.ContainsFunc(before, func(o Issue) bool { return o.ID == found.ID && o.Answer == "ignore" }) {
				found.Answer = "ignore"
			}
			t.Issues = append(t.Issues, found)
		}
		if t.Finished == 0 || t.Started > t.Finished { // the result was not reported
			t.Finished = at.Seq
		}
		t.Validated = at.Seq
	})
}

// issueID returns the id of an issue, which is the same in every validation: kind, file relative to the target, and symbol.
func issueID(target string, i events.CompileIssue) string {
	if i.Kind == "" {
		return "unsaid"
	}
	return strings.TrimRight(i.Kind+":"+strings.TrimPrefix(i.File, target+"/")+":"+i.Symbol, ":")
}

// related reports whether an issue of target t is about this run's work: the run generated or overwrote the issue's file, or
// modified the issue's symbol in t.
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

// answered applies the person's answer: the language of a target, or the solution of one of its issues. An answer without an issue
// is for every open question of the target.
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
					t.beginRound(at.Seq)
				}
			}
		}
	})
}
