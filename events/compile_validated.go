package events

import "errors"

// CompileValidated says how well a target's code and its CLAUDE.md agree (S2.9,
// S2.10).
type CompileValidated struct {
	Target  string         `json:"target"`
	Verdict string         `json:"verdict"` // good, improve, must_improve
	Issues  []CompileIssue `json:"issues,omitempty"`
}

// CompileIssue is one place where code and CLAUDE.md differ.
type CompileIssue struct {
	Kind   string `json:"kind"`           // missing_export, mismatch_signature, uncovered_file
	File   string `json:"file,omitempty"` // below the target or the project's root
	Symbol string `json:"symbol,omitempty"`
	Detail string `json:"detail,omitempty"`
}

func (CompileValidated) event() {}

func (c CompileValidated) validate() error {
	if !oneOf(c.Verdict, "good", "improve", "must_improve") {
		return errors.New(`verdict is "good", "improve" or "must_improve"`)
	}
	if c.Verdict == "good" && len(c.Issues) > 0 {
		return errors.New("a good target has no issues")
	}
	for _, i := range c.Issues {
		if !oneOf(i.Kind, "missing_export", "mismatch_signature", "uncovered_file") {
			return errors.New(`the kind of an issue is "missing_export", "mismatch_signature" or "uncovered_file"`)
		}
		if i.File == "" && i.Symbol == "" {
			return errors.New("an issue names a file or a symbol")
		}
	}
	return isTarget(c.Target)
}

var _ = declare("compile.validated", "how well a target's code and its CLAUDE.md agree", appendable[CompileValidated]())
