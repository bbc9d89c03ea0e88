package events

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// CompilePhases are the phases of compiling one target, in order (S2.7).
var CompilePhases = []string{"parse", "red", "green", "refactor", "conflicts", "implements_updated", "done"}

// CompileTries bounds the attempts at the phase green, and the rounds in which a target is compiled again, to heal it or to
// apply answers (S2.7, S2.9).
const CompileTries = 3

// checkTarget returns an error unless p is the key of a target or a module: a clean path below the project's root, or "." for the root.
func checkTarget(p string) error {
	switch {
	case p == "":
		return errors.New("a path is required")
	case path.IsAbs(p) || path.Clean(p) != p || p == ".." || strings.HasPrefix(p, "../"):
		return fmt.Errorf("%q is no path below the project's root", p)
	}
	return nil
}

// CompilePlanned holds the directories to compile from their CLAUDE.md (S2.1). The paths of targets are keys: relative
// to the project's root, with slashes, because src/a-b and src/a/b are two targets (S2.4).
type CompilePlanned struct {
	Targets  []CompileTarget `json:"targets"`
	Conflict string          `json:"conflict"`      // for existing files: skip, overwrite
	All      bool            `json:"all,omitempty"` // the person asked to compile every target again
}

// CompileTarget is one directory to compile.
type CompileTarget struct {
	Path     string   `json:"path"`               // "." is the root
	Reasons  []string `json:"reasons"`            // each that applies of uncommitted, outdated, no_source, all
	Mode     string   `json:"mode"`               // create, update
	Language string   `json:"language,omitempty"` // empty if the person has to choose
	// Spec is the digest of its CLAUDE.md. A later plan does not restart a target that was compiled from the same text.
	Spec string `json:"spec,omitempty"`
	// Bare is set if there is no IMPLEMENTS.md.
	Bare bool `json:"bare,omitempty"`
}

func (CompilePlanned) event() {}

func (c CompilePlanned) validate() error {
	if err := oneOf("conflict", c.Conflict, "skip", "overwrite"); err != nil {
		return err
	}
	for _, t := range c.Targets {
		if err := oneOf("mode", t.Mode, "create", "update"); err != nil {
			return err
		}
		if err := checkTarget(t.Path); err != nil {
			return err
		}
	}
	return nil
}

var _ = declare[CompilePlanned]("compile.planned", "directories are to be compiled from their CLAUDE.md", appendable)

// CompileStarted records that a target is being compiled, and its phase (S2.7). While the target runs, repeating it changes neither
// phase nor try.
type CompileStarted struct {
	Target string `json:"target"`
	Phase  string `json:"phase,omitempty"` // one of CompilePhases; empty: the current phase, or the first if the target does not run
	Try    int    `json:"try,omitempty"`   // number of the attempt at the phase green, 1 to CompileTries; 0 for none reported
}

func (CompileStarted) event() {}

func (c CompileStarted) validate() error {
	if c.Phase != "" && !slices.Contains(CompilePhases, c.Phase) {
		return fmt.Errorf("phase is one of %s", strings.Join(CompilePhases, ", "))
	}
	if c.Try < 0 || c.Try > CompileTries {
		return fmt.Errorf("try is 1 to %d", CompileTries)
	}
	return checkTarget(c.Target)
}

var _ = declare[CompileStarted]("compile.started", "a target is being compiled, and in which phase", appendable)

// CompileFinished is the result of compiling one target. It has the keys of the compilers' result files
// (docs/FILES.md §S2). Files are relative to the target.
type CompileFinished struct {
	Target          string       `json:"target"`
	Status          string       `json:"status"` // success, partial, failed, in the compiler's words
	Language        string       `json:"detected_language,omitempty"`
	Generated       []string     `json:"generated_files,omitempty"`
	Skipped         []string     `json:"skipped_files,omitempty"`
	Overwritten     []string     `json:"overwritten_files,omitempty"`
	Tests           CompileTests `json:"tests"`
	Phase           string       `json:"phase,omitempty"`       // red: only the tests are written
	Retries         int          `json:"retry_count,omitempty"` // attempts at the phase green after the first
	ModifiedSymbols []string     `json:"modified_symbols,omitempty"`
	Exports         []string     `json:"exports,omitempty"`
}

// CompileTests counts the tests of one target.
type CompileTests struct {
	Total  int `json:"total"`
	Passed int `json:"passed"`
	Failed int `json:"failed"`
}

func (CompileFinished) event() {}

func (c CompileFinished) validate() error { return checkTarget(c.Target) }

// CompileResult returns the result in an observed file, without the target. Its members are labels: elements of a list
// have the same name, and the names of nested members contain a dot.
func CompileResult(members []Label) CompileFinished {
	all := func(names ...string) (values []string) {
		for _, l := range members {
			if slices.Contains(names, l.Name) {
				values = append(values, l.Value)
			}
		}
		return values
	}
	number := func(name string) int {
		n, _ := strconv.Atoi(LabelIn(members, name)) // 0 for no number
		return n
	}
	return CompileFinished{
		Status: LabelIn(members, "status"), Language: LabelIn(members, "detected_language"),
		Generated: all("generated_files"), Skipped: all("skipped_files"), Overwritten: all("overwritten_files"),
		Tests: CompileTests{Total: number("tests.total"), Passed: number("tests.passed"), Failed: number("tests.failed")},
		Phase: LabelIn(members, "phase"), Retries: number("retry_count"),
		ModifiedSymbols: all("modified_symbols", "modified_symbols.name"), Exports: all("exports", "exports.name"),
	}
}

var _ = declare[CompileFinished]("compile.finished", "what came of compiling a target", appendable, requires("status"))

// CompileCompared holds the changes of an updated target's interface, and the modules that depend on it (S2.8). A
// program reports it: nothing here parses a language.
type CompileCompared struct {
	Target   string          `json:"target"`
	Breaking bool            `json:"breaking,omitempty"`
	Changes  []CompileChange `json:"changes,omitempty"`
	Affected []string        `json:"affected,omitempty"` // paths of modules that use a changed name
}

// CompileChange is one change of an interface.
type CompileChange struct {
	Symbol string `json:"symbol"`
	Change string `json:"change"` // added, removed, changed
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

func (CompileCompared) event() {}

func (c CompileCompared) validate() error {
	for _, ch := range c.Changes {
		if err := oneOf("change", ch.Change, "added", "removed", "changed"); err != nil {
			return err
		}
	}
	for _, p := range slices.Concat(c.Affected, []string{c.Target}) {
		if err := checkTarget(p); err != nil {
			return err
		}
	}
	return nil
}

var _ = declare[CompileCompared]("compile.compared", "how the interface of an updated target has changed", appendable)

// CompileValidated is the result of comparing a target's code with its CLAUDE.md (S2.9, S2.10).
type CompileValidated struct {
	Target  string         `json:"target"`
	Verdict string         `json:"verdict"` // good, improve, must_improve
	Issues  []CompileIssue `json:"issues,omitempty"`
}

// CompileIssue is a difference between code and CLAUDE.md.
type CompileIssue struct {
	Kind   string `json:"kind"`           // missing_export, mismatch_signature, uncovered_file
	File   string `json:"file,omitempty"` // relative to the target or the project's root
	Symbol string `json:"symbol,omitempty"`
	Detail string `json:"detail,omitempty"`
}

func (CompileValidated) event() {}

func (c CompileValidated) validate() error {
	if err := oneOf("verdict", c.Verdict, "good", "improve", "must_improve"); err != nil {
		return err
	}
	if c.Verdict == "good" && len(c.Issues) > 0 {
		return errors.New("a good target has no issues")
	}
	for _, i := range c.Issues {
		if err := oneOf("the kind of an issue", i.Kind, "missing_export", "mismatch_signature", "uncovered_file"); err != nil {
			return err
		}
		if i.File == "" && i.Symbol == "" {
			return errors.New("an issue names a file or a symbol")
		}
	}
	return checkTarget(c.Target)
}

var _ = declare[CompileValidated]("compile.validated", "how well a target's code and its CLAUDE.md agree", appendable)

// CompileAnswered is the person's answer to an open question of a target: its language (S2.3), or the way to solve an
// issue (S2.9).
type CompileAnswered struct {
	Target   string `json:"target"`
	Language string `json:"language,omitempty"`
	Answer   string `json:"answer,omitempty"` // fix_spec, fix_code, ignore
	Issue    string `json:"issue,omitempty"`  // the id of the issue, as the projection derives it (compilation.Issue); empty for every open issue
}

func (CompileAnswered) event() {}

func (c CompileAnswered) validate() error {
	if (c.Language == "") == (c.Answer == "") {
		return errors.New("a language or an answer is required, and not both")
	}
	if c.Answer != "" {
		if err := oneOf("answer", c.Answer, "fix_spec", "fix_code", "ignore"); err != nil {
			return err
		}
	}
	return checkTarget(c.Target)
}

var _ = declare[CompileAnswered]("compile.answered", "the person answered an open question of a target", appendable)

// CompileEnded records that the person ended a run, even if targets were open: recovery texts no longer mention it.
type CompileEnded struct{}

func (CompileEnded) event() {}

var _ = declare[CompileEnded]("compile.ended", "the person has ended a compile run", appendable)
