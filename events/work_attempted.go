package events

// WorkAttempted says that a worker begins with a task. Without a WorkEnded after it
// nobody knows what became of it: the task may run twice.
type WorkAttempted struct {
	Run    string `json:"run,omitempty"`
	Task   string `json:"task"`
	Phase  int    `json:"phase,omitempty"`  // 0 as it was given, 1 or 2 reduced (S4.2)
	Length int    `json:"length,omitempty"` // of the prompt that is sent, in characters that a person sees
	PID    int    `json:"pid,omitempty"`    // of the worker's process group, 0 when it is not known
	// Start tells the process from others that had the pid, in a unit of the system.
	Start int64 `json:"start,omitempty"`
}

func (WorkAttempted) event() {}

func (w WorkAttempted) validate() error { return workAttempt(w.Task, w.Phase) }

var _ = declare("work.attempted", "a worker begins with a task", appendable[WorkAttempted]())
