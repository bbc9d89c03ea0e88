package events

import "fmt"

// WorkStarted says that a task begins, anew if there was one of that id (S4.3).
type WorkStarted struct {
	Run  string `json:"run,omitempty"` // empty: of no run
	Task string `json:"task"`          // what its state is kept by; data, never a file's name
	ID   string `json:"id,omitempty"`  // its own id, when that is another
	// Prompt begins the prompt; at most 500 characters that a person sees count.
	Prompt       string `json:"prompt,omitempty"`
	PromptLength int    `json:"prompt_length,omitempty"` // of the whole, in those characters
	Type         string `json:"type,omitempty"`
	HasContext   bool   `json:"has_context,omitempty"`
	HasFiles     bool   `json:"has_files,omitempty"`
}

func (WorkStarted) event() {}

func (w WorkStarted) validate() error { return required("task", w.Task) }

var _ = declare("work.started", "a task of a worker begins", appendable[WorkStarted]())

func required(field, value string) error {
	if value == "" {
		return fmt.Errorf("%s is required", field)
	}
	return nil
}

// maxPhase is the last phase in which a task is tried: 0 is the first attempt,
// 1 and 2 recover it (S4.2).
const maxPhase = 2

// workAttempt checks what names an attempt.
func workAttempt(task string, phase int) error {
	if phase < 0 || phase > maxPhase {
		return fmt.Errorf("phase is %d, not 0, 1 or 2", phase)
	}
	return required("task", task)
}
