package compilation

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"journal/events"
	"journal/projections"
)

// Step is something left to do in a run (S2.11).
type Step struct {
	Target  string `json:"target,omitempty"`
	Status  string `json:"status"`
	What    string `json:"what"`    // the step in words, on one line
	Command string `json:"command"` // arguments of journal that record the step, with placeholders in capitals
}

// urgency lists the statuses in the order of their steps. Questions to the person come first.
var urgency = []string{
	NeedsLanguage, NeedsAnswer, Failed, Stopped, Healing, Fixed, Planned, Compiled, Running,
}

// Next lists the steps left to do, the most urgent first. If none is left, the only step is the report.
func (s State) Next() []Step {
	if s.Run == 0 || s.Ended {
		return []Step{{Status: "none", What: "no run is open", Command: "compile plan"}}
	}
	var steps []Step
	for _, t := range s.Targets {
		if !t.Done() {
			steps = append(steps, t.step(s.Conflict))
		}
	}
	slices.SortStableFunc(steps, func(a, b Step) int {
		return cmp.Compare(slices.Index(urgency, a.Status), slices.Index(urgency, b.Status))
	})
	for _, t := range s.Targets {
		for _, module := range s.affected(t) {
			steps = append(steps, Step{
				Target: module, Status: "affected",
				What:    fmt.Sprintf("compile %s again: it uses the interface of %s, which is broken", module, t.Path),
				Command: "compile start " + shellWord(module),
			})
		}
	}
	if len(steps) == 0 {
		steps = append(steps, Step{Status: "done", What: "every target is done", Command: "compile report"})
	}
	return steps
}

// staleAfter is the time without a change after which a run concerns only the sessions that take part in it.
const staleAfter = projections.Stamp(3 * 24 * time.Hour)

// Concerns reports whether a session needs to know about the run at the time now: something is left to do, and the session
// takes part in the run or the run is not stale.
func (s State) Concerns(session string, now projections.Stamp) bool {
	if s.Next()[0].Target == "" {
		return false
	}
	newest, takesPart := projections.Stamp(0), s.Session == session
	for _, t := range s.Targets {
		newest, takesPart = max(newest, t.At), takesPart || t.Session == session
	}
	return takesPart || now-newest <= staleAfter
}

// affected lists the modules that use the interface that t broke, and were not compiled since then (S2.8).
func (s State) affected(t Target) []string {
	if t.Diff == nil || !t.Diff.Breaking {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(t.Diff.Affected), func(module string) bool {
		other, known := s.Target(module)
		return known && max(other.Started, other.Finished) > t.Diff.Seq
	})
}

// step returns the next step for one target.
func (t Target) step(conflict string) Step {
	s := Step{Target: t.Path, Status: t.Status}
	name := shellWord(t.Path)
	start := "compile start " + name
	if t.Phase != "" && t.Phase != "parse" && t.Phase != "done" {
		start += " --phase " + t.Phase
		if t.Try > 0 && t.Phase == "green" {
			start += fmt.Sprintf(" --try %d", t.Try)
		}
	}
	spec := path.Join(t.Path, "CLAUDE.md")
	switch t.Status {
	case NeedsLanguage:
		s.What = "ask the person for the language of " + t.Path
		s.Command = "compile answer " + name + " --language LANGUAGE"
	case Planned:
		s.What = fmt.Sprintf("compile %s (%s)", spec, strings.Join(slices.DeleteFunc([]string{
			t.Mode, t.Language, "files that exist: " + cmp.Or(conflict, "skip")}, func(s string) bool { return s == "" }), ", "))
		s.Command = start
	case Running:
		s.What = "wait for " + t.Path + ": it is in " + t.progress() + " and has no result yet; if nothing works on it any more, begin it again"
		s.Command = start
	case Stopped:
		s.What = "begin " + t.Path + " again: what compiled it is over in " + t.progress() + " and left no result"
		s.Command = start
	case Failed:
		s.What = fmt.Sprintf("compile %s again: its compiler says %s, %d of %d tests failed", spec, t.Outcome, t.Tests.Failed, t.Tests.Total)
		s.Command = "compile start " + name
	case Compiled:
		s.What = "validate " + t.Path + ": code against " + spec
		s.Command = "compile validated " + name + " --verdict good|improve|must_improve --issue KIND:FILE:SYMBOL"
	case NeedsAnswer:
		q := t.Questions()[0]
		s.What = "ask the person about " + q.String() + ": fix_spec (CLAUDE.md to the code, recommended), fix_code (code to CLAUDE.md) or ignore"
		s.Command = "compile answer " + name + " fix_spec|fix_code|ignore --issue " + shellWord(q.ID)
	case Healing:
		s.What = fmt.Sprintf("round %d of %d: %s; then compile it again", t.round(), events.CompileTries, t.advice())
		s.Command = "compile start " + name
	case Fixed:
		s.What = t.advice() + "; then validate it"
		s.Command = "compile validated " + name + " --verdict good|improve|must_improve --issue KIND:FILE:SYMBOL"
	}
	return s
}

// progress returns the phase of a target, and the attempt in the phase green.
func (t Target) progress() string {
	if t.Phase == "green" {
		return fmt.Sprintf("green, try %d of %d", max(t.Try, 1), events.CompileTries)
	}
	return cmp.Or(t.Phase, events.CompilePhases[0])
}

// round returns the number of the current or next healing round.
func (t Target) round() int {
	if t.Acted > t.Validated {
		return t.Rounds
	}
	return t.Rounds + 1
}

// advice describes the changes after which code and CLAUDE.md agree (S2.9), empty for none.
func (t Target) advice() string {
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

// addition describes the text to add to a CLAUDE.md to solve an issue.
func (i Issue) addition() string {
	subject := cmp.Or(i.Symbol, i.File)
	switch i.Kind {
	case "missing_export":
		return "under Exports, " + subject + inParentheses(i.File) + ", and under Domain Context why it is there"
	case "mismatch_signature":
		return "under Exports, the signature of " + subject + inParentheses(i.File) + " as it is, and under Domain Context why it changed"
	case "uncovered_file":
		return "under Structure, " + cmp.Or(i.File, i.Symbol) + " and what it is for"
	}
	return i.String()
}

// inParentheses returns a file in parentheses after a blank, empty for none.
func inParentheses(file string) string {
	if file == "" {
		return ""
	}
	return " (" + file + ")"
}

// String describes an issue for people.
func (i Issue) String() string {
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

// shellWord quotes an argument for a shell if necessary.
func shellWord(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return !strings.ContainsRune("/._-:@%+,", r) && !isWord(r) }) {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return s
}

// isWord reports whether a character is a letter, a digit, or beyond ASCII.
func isWord(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r >= 0x80
}

// Task is the task of compiling a target, for a runner of subagents (S2.4).
type Task struct {
	ID     string   `json:"id"`
	Prompt string   `json:"prompt"`
	Type   string   `json:"type"`
	Files  []string `json:"files"`
}

// resultPrefix returns the prefix of the names of this run's result files.
func (s State) resultPrefix() string { return fmt.Sprintf("run%d.", s.Run) }

// Tasks lists the tasks of the targets that can be compiled now, for the first time or again. The names of their result files
// are numbered, because different targets can have the same flat name. command runs the journal at the runner.
func (s State) Tasks(command string) []Task {
	var all []Task
	for i, t := range s.Targets {
		switch t.Status {
		case Planned, Failed, Stopped, Healing:
		default:
			continue
		}
		spec, implements := path.Join(t.Path, "CLAUDE.md"), path.Join(t.Path, "IMPLEMENTS.md")
		lines := []string{
			"Compile the specification of a directory into source code, tests first.",
			"CLAUDE.md: ./" + spec,
			"IMPLEMENTS.md: ./" + implements,
			"Target directory: " + t.Path,
			"Mode: " + cmp.Or(t.Mode, "update"),
			"Language: " + cmp.Or(t.Language, "that of the files beside it"),
			"Files that exist: " + cmp.Or(s.Conflict, "skip"),
		}
		if advice := t.advice(); advice != "" {
			lines = append(lines, "First "+advice)
		}
		result := fmt.Sprintf(".claude/tmp/%s%d-compile-%s.json", s.resultPrefix(), i+1, flat(t.Path))
		lines = append(lines,
			"Before you begin, run: "+command+" compile start "+shellWord(t.Path),
			"At the end, write the result to "+result+": {\"claude_md_path\", \"target_dir\", \"detected_language\", "+
				"\"generated_files\": [], \"skipped_files\": [], \"overwritten_files\": [], \"modified_symbols\": [], "+
				"\"tests\": {\"total\", \"passed\", \"failed\"}, \"status\": \"success\" or \"failed\"}, its files named below the target directory,",
			"and run: "+command+" compile result --from "+shellWord(result))
		all = append(all, Task{ID: "compile " + t.Path, Prompt: strings.Join(lines, "\n"), Type: "compile", Files: []string{spec, implements}})
	}
	return all
}

// String describes a target's state on one line.
func (t Target) String() string {
	s := t.Path + ": " + t.Status
	switch t.Status {
	case NeedsLanguage:
		s = t.Path + ": question: which language?"
	case Compiled:
		s += ", not validated yet"
	case Running:
		s = t.Path + ": " + t.progress() + ", running, no result yet"
	case Stopped:
		s = t.Path + ": " + t.progress() + ", stopped without a result"
	case NeedsAnswer:
		var asked []string
		for _, q := range t.Questions() {
			asked = append(asked, q.String())
		}
		s = t.Path + ": question, fix_spec, fix_code or ignore: " + strings.Join(asked, "; ")
	case Healing:
		s += fmt.Sprintf(", round %d of %d", t.round(), events.CompileTries)
	}
	if t.Lane != "" && t.Status == Running {
		s += ", subagent " + t.Lane
	}
	return s
}
