package events

import "fmt"

// WorkTold is the whole state of a task as another program told it, or as one of its
// files holds it (S4.3, docs/FILES.md §S4). What the log knew of the task until then
// is replaced by it.
type WorkTold struct {
	Task         string `json:"task"` // the key of the state
	ID           string `json:"id,omitempty"`
	Prompt       string `json:"prompt,omitempty"`
	PromptLength int    `json:"prompt_length,omitempty"`
	Type         string `json:"type,omitempty"`
	HasContext   bool   `json:"has_context,omitempty"`
	HasFiles     bool   `json:"has_files,omitempty"`

	Error   string `json:"error,omitempty"`
	Pattern string `json:"pattern,omitempty"`

	Phases     []WorkPhase `json:"phases,omitempty"` // of 1 and of 2
	Recovered  bool        `json:"recovered,omitempty"`
	FinalPhase int         `json:"final_phase,omitempty"`
	Retries    int         `json:"retries,omitempty"`
	Partial    []string    `json:"partial,omitempty"` // JSON texts

	// The times are that program's own, in RFC 3339 as they were written. Nothing is
	// ordered by them.
	Started   string `json:"started,omitempty"`
	Completed string `json:"completed,omitempty"`

	Digest string `json:"digest,omitempty"` // SHA-256 of the file's bytes, in hex; empty for no file
}

// WorkPhase is what a WorkTold tells of one phase.
type WorkPhase struct {
	Attempted bool   `json:"attempted,omitempty"`
	Success   bool   `json:"success,omitempty"`
	Length    int    `json:"length,omitempty"` // of the prompt that was sent
	Error     string `json:"error,omitempty"`
	Result    string `json:"result,omitempty"` // JSON text
	Start     string `json:"start,omitempty"`
	End       string `json:"end,omitempty"`
}

func (WorkTold) event() {}

func (w WorkTold) validate() error {
	if len(w.Phases) > maxPhase {
		return fmt.Errorf("%d phases, there are %d", len(w.Phases), maxPhase)
	}
	return required("task", w.Task)
}

var _ = declare("work.told", "the state of a task as another program told it", appendable[WorkTold]())
