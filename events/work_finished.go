package events

// WorkFinished says what became of a task: it never runs again (S4.7).
type WorkFinished struct {
	Run     string `json:"run,omitempty"`
	Task    string `json:"task"`
	Success bool   `json:"success,omitempty"` // also of a recovered one (S4.5)
	Phase   int    `json:"phase,omitempty"`   // of the last attempt; over 0 with success: recovered
	Result  string `json:"result,omitempty"`  // JSON text: what the worker gave
	Error   string `json:"error,omitempty"`   // of the first attempt, when nothing helped
}

func (WorkFinished) event() {}

func (w WorkFinished) validate() error { return workAttempt(w.Task, w.Phase) }

var _ = declare("work.finished", "what became of a task", appendable[WorkFinished]())
