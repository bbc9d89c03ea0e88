package events

import (
	"errors"
)

// PhaseEntered says that a skill's workflow went into a phase. The first one of
// a skill begins its state (S3.1).
type PhaseEntered struct {
	Skill  string `json:"skill"`
	Phase  string `json:"phase"` // number or key: "2", "2b"
	Name   string `json:"name,omitempty"`
	Output string `json:"output,omitempty"` // where the skill's result goes
	Input  string `json:"input,omitempty"`  // what it works from
	Next   string `json:"next,omitempty"`   // the next action
}

func (PhaseEntered) event() {}

func (p PhaseEntered) validate() error {
	if p.Skill == "" || p.Phase == "" {
		return errors.New("skill and phase are required")
	}
	return nil
}

var _ = declare("phase.entered", "a skill's workflow went into a phase", lasting[PhaseEntered](), appendable[PhaseEntered]())
