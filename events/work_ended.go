package events

// WorkEnded says how an attempt at a task ended.
type WorkEnded struct {
	Run     string `json:"run,omitempty"`
	Task    string `json:"task"`
	Phase   int    `json:"phase,omitempty"` // 0 as it was given, 1 or 2 reduced (S4.2)
	Success bool   `json:"success,omitempty"`
	Error   string `json:"error,omitempty"`   // the message of a failure
	Pattern string `json:"pattern,omitempty"` // of the context's limit; empty for other failures
	Partial string `json:"partial,omitempty"` // what a failed worker had written
	// Interrupted says that the worker was ended from outside: it did not fail, and
	// the attempt is made again.
	Interrupted bool `json:"interrupted,omitempty"`
}

func (WorkEnded) event() {}

func (w WorkEnded) validate() error { return workAttempt(w.Task, w.Phase) }

var _ = declare("work.ended", "an attempt at a task ended", appendable[WorkEnded]())
