package events

import "fmt"

// WorkPlanned says that a run of tasks begins (S4.7).
type WorkPlanned struct {
	Run     string `json:"run"`
	Tasks   int    `json:"tasks"`             // how many there are
	Workers int    `json:"workers,omitempty"` // how many of them run at once
	Recover bool   `json:"recover,omitempty"` // whether tasks that fill their context are tried again
}

func (WorkPlanned) event() {}

var _ = declare[WorkPlanned]("work.planned", "a run of tasks begins", appendable, requires("run"))

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

var _ = declare[WorkStarted]("work.started", "a task of a worker begins", appendable, requires("task"))

// maxPhase is the last phase in which a task is tried: 0 is the first attempt,
// 1 and 2 recover it (S4.2).
const maxPhase = 2

// isPhase checks the phase of an attempt.
func isPhase(phase int) error {
	if phase < 0 || phase > maxPhase {
		return fmt.Errorf("phase is %d, not 0, 1 or 2", phase)
	}
	return nil
}

// WorkAttempted says that a worker begins with a task. Without a WorkEnded after it
// nobody knows what became of it: the task may run twice.
type WorkAttempted struct {
	Run    string `json:"run,omitempty"`
	Task   string `json:"task"`
	Phase  int    `json:"phase,omitempty"`  // 0 as it was given, 1 or 2 reduced (S4.2)
	Length int    `json:"length,omitempty"` // of the prompt that is sent, in characters that a person sees
	// Part counts the parts of a reduced task, from 0: what a phase leaves out of the prompt follows when it succeeded.
	Part     int    `json:"part,omitempty"`
	NotAsked string `json:"not_asked,omitempty"` // what of the prompt this part and those before leave out
	PID      int    `json:"pid,omitempty"`       // of the worker's process group, 0 when it is not known
	// Start tells the process from others that had the pid, in a unit of the system.
	Start int64 `json:"start,omitempty"`
}

func (WorkAttempted) event() {}

func (w WorkAttempted) validate() error { return isPhase(w.Phase) }

var _ = declare[WorkAttempted]("work.attempted", "a worker begins with a task", appendable, requires("task"))

// WorkEnded says how an attempt at a task ended.
type WorkEnded struct {
	Run     string `json:"run,omitempty"`
	Task    string `json:"task"`
	Phase   int    `json:"phase,omitempty"` // 0 as it was given, 1 or 2 reduced (S4.2)
	Success bool   `json:"success,omitempty"`
	Error   string `json:"error,omitempty"`   // the message of a failure
	Pattern string `json:"pattern,omitempty"` // of the context's limit; empty for other failures
	Part    int    `json:"part,omitempty"`    // of a reduced task, from 0
	Partial string `json:"partial,omitempty"` // what a failed worker had written, or one that did a part of the task
	// Interrupted says that the worker was ended from outside: it did not fail, and
	// the attempt is made again.
	Interrupted bool `json:"interrupted,omitempty"`
}

func (WorkEnded) event() {}

func (w WorkEnded) validate() error { return isPhase(w.Phase) }

var _ = declare[WorkEnded]("work.ended", "an attempt at a task ended", appendable, requires("task"))

// WorkFinished says what became of a task: it never runs again (S4.7).
type WorkFinished struct {
	Run     string `json:"run,omitempty"`
	Task    string `json:"task"`
	Success bool   `json:"success,omitempty"` // also of a recovered one (S4.5)
	Phase   int    `json:"phase,omitempty"`   // of the last attempt; over 0 with success: recovered, when all was asked
	Result  string `json:"result,omitempty"`  // JSON text: what the worker gave
	Error   string `json:"error,omitempty"`   // of the first attempt, when nothing helped
}

func (WorkFinished) event() {}

func (w WorkFinished) validate() error { return isPhase(w.Phase) }

var _ = declare[WorkFinished]("work.finished", "what became of a task", appendable, requires("task"))

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
	return nil
}

var _ = declare[WorkTold]("work.told", "the state of a task as another program told it", appendable, requires("task"))

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

var _ = declare[WorkExpired]("work.expired", "states of tasks are not needed any more", appendable)
