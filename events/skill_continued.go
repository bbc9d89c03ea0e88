package events

import "errors"

// SkillContinued is the answer "go on" to the offer of an unfinished skill (S3.3).
// A skill of an earlier session comes with all of its state, because nothing of one
// session is read as another's (S3.8).
type SkillContinued struct {
	From      string      `json:"from"` // the session that left it unfinished, possibly the same
	Skill     string      `json:"skill"`
	Phase     string      `json:"phase,omitempty"`
	Name      string      `json:"name,omitempty"`
	Output    string      `json:"output,omitempty"`
	Input     string      `json:"input,omitempty"`
	Next      string      `json:"next,omitempty"`
	Completed []PhaseDone `json:"completed,omitempty"`
	Text      string      `json:"text,omitempty"` // of the skill's own file, as it was last seen
}

// PhaseDone is a phase that was done before.
type PhaseDone struct {
	Phase   string `json:"phase"`
	Name    string `json:"name,omitempty"`
	Summary string `json:"summary,omitempty"`
}

func (SkillContinued) event() {}

func (s SkillContinued) validate() error {
	if s.From == "" || s.Skill == "" {
		return errors.New("from and skill are required")
	}
	return nil
}

var _ = declare("skill.continued", "a session goes on with an unfinished skill", lasting[SkillContinued](), appendable[SkillContinued]())
