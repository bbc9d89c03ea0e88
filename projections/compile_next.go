package projections

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"journal/events"
)

// CompileStep is something that is left to do in a run (S2.11).
type CompileStep struct {
	Target  string `json:"target,omitempty"`
	Status  string `json:"status"`
	What    string `json:"what"`    // one line
	Command string `json:"command"` // what is recorded by it, to be run as it is where it has no capitals
}

// urgencies orders what is left to do: what holds others up, or a person has to say,
// comes first.
var urgencies = []string{
	CompileAsks, CompileAsking, CompileFailed, CompileStopped, CompileHealing, CompileFixed, CompilePlanned, CompileCompiled, CompileRunning,
}

// Next lists what is left to do, what comes first in front. At its end, when nothing
// else is left, is the report.
func (s CompileState) Next() []CompileStep {
	if s.Run == 0 || s.Ended {
		return []CompileStep{{Status: "none", What: "no run is open", Command: "compile plan"}}
	}
	var steps []CompileStep
	for _, t := range s.Targets {
		if !t.Done() {
			steps = append(steps, t.step(s.Conflict))
		}
	}
	slices.SortStableFunc(steps, func(a, b CompileStep) int {
		return cmp.Compare(slices.Index(urgencies, a.Status), slices.Index(urgencies, b.Status))
	})
	for _, t := range s.Targets {
		for _, module := range s.affected(t) {
			steps = append(steps, CompileStep{
				Target: module, Status: "affected",
				What:    fmt.Sprintf("compile %s again: it uses the interface of %s, which is broken", module, t.Path),
				Command: "compile start " + word(module),
			})
		}
	}
	if len(steps) == 0 {
		steps = append(steps, CompileStep{Status: "done", What: "every target is done", Command: "compile report"})
	}
	return steps
}

// compileStale is how long sessions that have no part in a run are told of it after
// its last change.
const compileStale = Stamp(3 * 24 * time.Hour)

// Concerns says whether a session is to be told of the run at a time: something is
// left to do, and the session has a part in it or the run is fresh.
func (s CompileState) Concerns(session string, now Stamp) bool {
	if steps := s.Next(); s.Run == 0 || s.Ended || steps[0].Target == "" {
		return false
	}
	newest, part := Stamp(0), s.Session == session
	for _, t := range s.Targets {
		newest, part = max(newest, t.At), part || t.Session == session
	}
	return part || now-newest <= compileStale
}

// affected lists the modules that use an interface which was broken, and were not
// compiled since (S2.8).
func (s CompileState) affected(t CompileTarget) []string {
	if t.Diff == nil || !t.Diff.Breaking {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(t.Diff.Affected), func(module string) bool {
		other, known := s.Target(module)
		return known && max(other.Started, other.Finished) > t.Diff.Seq
	})
}

// step says what is left to do for one target.
func (t CompileTarget) step(conflict string) CompileStep {
	s := CompileStep{Target: t.Path, Status: t.Status}
	name := word(t.Path)
	start := "compile start " + name
	if t.Phase != "" && t.Phase != "parse" && t.Phase != "done" {
		start += " --phase " + t.Phase
		if t.Try > 0 && t.Phase == "green" {
			start += fmt.Sprintf(" --try %d", t.Try)
		}
	}
	spec := path.Join(t.Path, "CLAUDE.md")
	switch t.Status {
	case CompileAsks:
		s.What = "ask the person for the language of " + t.Path
		s.Command = "compile answer " + name + " --language LANGUAGE"
	case CompilePlanned:
		s.What = fmt.Sprintf("compile %s (%s)", spec, strings.Join(slices.DeleteFunc([]string{
			t.Mode, t.Language, "files that exist: " + cmp.Or(conflict, "skip")}, func(s string) bool { return s == "" }), ", "))
		s.Command = start
	case CompileRunning:
		s.What = "wait for " + t.Path + ": it is in " + t.place() + " and has no result yet; if nothing works on it any more, begin it again"
		s.Command = start
	case CompileStopped:
		s.What = "begin " + t.Path + " again: what compiled it is over in " + t.place() + " and left no result"
		s.Command = start
	case CompileFailed:
		s.What = fmt.Sprintf("compile %s again: its compiler says %s, %d of %d tests failed", spec, t.Outcome, t.Tests.Failed, t.Tests.Total)
		s.Command = "compile start " + name
	case CompileCompiled:
		s.What = "validate " + t.Path + ": code against " + spec
		s.Command = "compile validated " + name + " --verdict good|improve|must_improve --issue KIND:FILE:SYMBOL"
	case CompileAsking:
		q := t.Questions()[0]
		s.What = "ask the person about " + q.String() + ": fix_spec (CLAUDE.md to the code, recommended), fix_code (code to CLAUDE.md) or ignore"
		s.Command = "compile answer " + name + " fix_spec|fix_code|ignore --issue " + word(q.ID)
	case CompileHealing:
		s.What = fmt.Sprintf("round %d of %d: %s; then compile it again", t.round(), events.CompileTries, t.advice())
		s.Command = "compile start " + name
	case CompileFixed:
		s.What = t.advice() + "; then validate it"
		s.Command = "compile validated " + name + " --verdict good|improve|must_improve --issue KIND:FILE:SYMBOL"
	}
	return s
}

// place says how far a target is.
func (t CompileTarget) place() string {
	if t.Phase == "green" {
		return fmt.Sprintf("green, try %d of %d", max(t.Try, 1), events.CompileTries)
	}
	return cmp.Or(t.Phase, events.CompilePhases[0])
}

// round is the number of the round that is being healed or is to be.
func (t CompileTarget) round() int {
	if t.Acted > t.Validated {
		return t.Rounds
	}
	return t.Rounds + 1
}

// advice says what is to be written where, so that code and CLAUDE.md agree (S2.9).
func (t CompileTarget) advice() string {
	spec := path.Join(t.Path, "CLAUDE.md")
	var todo []string
	for _, i := range t.Issues {
		switch {
		case i.Answer == "ignore", !i.Related && i.Answer == "":
		case i.Answer == "fix_code":
			todo = append(todo, "mend the code, not "+spec+": "+i.String())
		default:
			todo = append(todo, "add to "+spec+": "+i.addition())
		}
	}
	return strings.Join(todo, "; ")
}

// addition is what a CLAUDE.md lacks when it has an issue.
func (i CompileIssue) addition() string {
	of := cmp.Or(i.Symbol, i.File)
	switch i.Kind {
	case "missing_export":
		return "under Exports, " + of + from(i.File) + ", and under Domain Context why it is there"
	case "mismatch_signature":
		return "under Exports, the signature of " + of + from(i.File) + " as it is, and under Domain Context why it changed"
	case "uncovered_file":
		return "under Structure, " + cmp.Or(i.File, i.Symbol) + " and what it is for"
	}
	return i.String()
}

func from(file string) string {
	if file == "" {
		return ""
	}
	return " (" + file + ")"
}

// String names an issue for people.
func (i CompileIssue) String() string {
	if i.Kind == "" {
		return "what the validation found (it names no issue)"
	}
	s := strings.ReplaceAll(i.Kind, "_", " ")
	if i.Symbol != "" {
		s += " " + i.Symbol
	}
	if i.File != "" {
		s += " in " + i.File
	}
	if i.Detail != "" {
		s += " (" + i.Detail + ")"
	}
	return s
}

// word spells an argument for a shell.
func word(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return !strings.ContainsRune("/._-:@%+,", r) && !isWord(r) }) {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return s
}

func isWord(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r >= 0x80
}
