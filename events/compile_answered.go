package events

import "errors"

// CompileAnswered says what the person chose about an open question of a target:
// its language (S2.3), or what is to be done about an issue (S2.9).
type CompileAnswered struct {
	Target   string `json:"target"`
	Language string `json:"language,omitempty"`
	Answer   string `json:"answer,omitempty"` // fix_spec, fix_code, ignore
	Issue    string `json:"issue,omitempty"`  // its key; empty is every open one
}

func (CompileAnswered) event() {}

func (c CompileAnswered) validate() error {
	if (c.Language == "") == (c.Answer == "") {
		return errors.New("a language or an answer is required, and not both")
	}
	if c.Answer != "" && !oneOf(c.Answer, "fix_spec", "fix_code", "ignore") {
		return errors.New(`answer is "fix_spec", "fix_code" or "ignore"`)
	}
	return isTarget(c.Target)
}

var _ = declare("compile.answered", "the person answered an open question of a target", appendable[CompileAnswered]())
