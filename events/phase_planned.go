package events

// PhasePlanned says what the running skill's next action is.
type PhasePlanned struct {
	Next string `json:"next"`
}

func (PhasePlanned) event() {}

var _ = declare("phase.planned", "the running skill's next action", lasting[PhasePlanned](), appendable[PhasePlanned]())
