package events

import (
	"errors"
	"strconv"
)

// CompileFinished says what came of compiling one target. Its keys are those of the
// files in which compilers leave their results (docs/FILES.md §S2); files are named
// below the target.
type CompileFinished struct {
	Target          string       `json:"target"`
	Status          string       `json:"status"` // success, partial, failed, in the compiler's words
	Language        string       `json:"detected_language,omitempty"`
	Generated       []string     `json:"generated_files,omitempty"`
	Skipped         []string     `json:"skipped_files,omitempty"`
	Overwritten     []string     `json:"overwritten_files,omitempty"`
	Tests           CompileTests `json:"tests"`
	Phase           string       `json:"phase,omitempty"` // red: only the tests are written
	Retries         int          `json:"retry_count,omitempty"`
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

func (c CompileFinished) validate() error {
	if c.Status == "" {
		return errors.New("status is required")
	}
	return isTarget(c.Target)
}

// CompileResult reads a result out of the members of its JSON object, as an
// observation holds them: the elements of a list are labels of one name, and the
// members of members have a dot in their names. The path of the target is left to
// the caller.
func CompileResult(members []Label) CompileFinished {
	all := func(names ...string) (values []string) {
		for _, l := range members {
			if oneOf(l.Name, names...) {
				values = append(values, l.Value)
			}
		}
		return values
	}
	number := func(name string) int {
		n, err := strconv.Atoi(LabelIn(members, name))
		if err != nil {
			return 0
		}
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

var _ = declare("compile.finished", "what came of compiling a target", appendable[CompileFinished]())
