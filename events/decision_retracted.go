package events

import "errors"

// DecisionRetracted says that a decision of the project does not hold any more.
type DecisionRetracted struct {
	Decision uint64 `json:"decision"` // its sequence
	Reason   string `json:"reason,omitempty"`
}

func (DecisionRetracted) event() {}

func (d DecisionRetracted) validate() error {
	if d.Decision == 0 {
		return errors.New("decision is missing: the number behind # of what is taken back")
	}
	return nil
}

var _ = declare("decision.retracted", "a decision was taken back", lasting[DecisionRetracted](), appendable[DecisionRetracted]())
