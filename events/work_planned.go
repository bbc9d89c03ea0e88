package events

// WorkPlanned says that a run of tasks begins (S4.7).
type WorkPlanned struct {
	Run     string `json:"run"`
	Tasks   int    `json:"tasks"`             // how many there are
	Workers int    `json:"workers,omitempty"` // how many of them run at once
	Recover bool   `json:"recover,omitempty"` // whether tasks that fill their context are tried again
}

func (WorkPlanned) event() {}

func (w WorkPlanned) validate() error { return required("run", w.Run) }

var _ = declare("work.planned", "a run of tasks begins", appendable[WorkPlanned]())
