package events

import (
	"errors"
)

// PhaseCompleted says that a phase of the running skill is done.
type PhaseCompleted struct {
	Phase   string `json:"phase"`
	Name    string `json:"name,omitempty"`
	Summary string `json:"summary,omitempty"`
	Next    string `json:"next,omitempty"`
}

func (PhaseCompleted) event() {}

func (p PhaseCompleted) validate() error {
	if p.Phase == "" {
		return errors.New("phase is required")
	}
	return nil
}

var _ = declare("phase.completed", "a phase of the running skill is done", lasting[PhaseCompleted](), appendable[PhaseCompleted]())
