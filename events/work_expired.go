package events

// WorkExpired says that states of tasks are not needed any more (S4.4). The events
// that they follow from stay.
type WorkExpired struct {
	Tasks []WorkName `json:"tasks"`
}

// WorkName names a task of a run, or of none.
type WorkName struct {
	Run  string `json:"run,omitempty"`
	Task string `json:"task"`
}

func (WorkExpired) event() {}

var _ = declare("work.expired", "states of tasks are not needed any more", appendable[WorkExpired]())
