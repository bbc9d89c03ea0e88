package events

import "fmt"

// WorkPlanned records that a run of tasks begins (S4.7).
type WorkPlanned struct {
	Run     string `json:"run"`
	Tasks   int    `json:"tasks"`             // number of tasks
	Workers int    `json:"workers,omitempty"` // number of tasks run at once
	Recover bool   `json:"recover,omitempty"` // whether to retry tasks that fill their context
}

func (WorkPlanned) event() {}

var _ = declare[WorkPlanned]("work.planned", "a run of tasks begins", irreversible, appendable, requires("run"))

// WorkStarted records that a task begins, or begins again from the start (S4.3).
type WorkStarted struct {
	Run  string `json:"run,omitempty"` // empty for a task outside of runs
	Task string `json:"task"`          // the key of the task's state; it must not become a file name
	ID   string `json:"id,omitempty"`  // the id by which the session knows the task; empty if it is the key
	// Prompt is the beginning of the prompt, at most 500 characters as a person sees them.
	Prompt       string `json:"prompt,omitempty"`
	PromptLength int    `json:"prompt_length,omitempty"` // of the whole prompt, in such characters
	Type         string `json:"type,omitempty"`
	HasContext   bool   `json:"has_context,omitempty"`
	HasFiles     bool   `json:"has_files,omitempty"`
}

func (WorkStarted) event() {}

var _ = declare[WorkStarted]("work.started", "a task of a worker begins", irreversible, appendable, requires("task"))

// maxPhase is the last phase of a task: 0 is the first attempt, 1 and 2 recover it (S4.2).
const maxPhase = 2

// checkPhase returns an error unless an attempt can have this phase.
func checkPhase(phase int) error {
	if phase < 0 || phase > maxPhase {
		return fmt.Errorf("phase is %d, not 0, 1 or 2", phase)
	}
	return nil
}

// WorkAttempted records that a worker starts on a task. Without a later WorkEnded the outcome of the attempt is unknown.
type WorkAttempted struct {
	Run    string `json:"run,omitempty"`
	Task   string `json:"task"`
	Phase  int    `json:"phase,omitempty"`  // 0 for the whole task, 1 or 2 for a reduced one (S4.2)
	Length int    `json:"length,omitempty"` // of the prompt sent, in characters as a person sees them
	// Part is the number of the part of the prompt, from 0. After each success with a reduced prompt the next part is sent.
	Part     int    `json:"part,omitempty"`
	NotAsked string `json:"not_asked,omitempty"` // the rest of the prompt, which neither this part nor an earlier one contains
	PID      int    `json:"pid,omitempty"`       // the worker's process group, 0 if unknown
	// Start is the start time of the process, in a unit of the system. It distinguishes the process from others with the
	// same id.
	Start int64 `json:"start,omitempty"`
}

func (WorkAttempted) event() {}

func (w WorkAttempted) validate() error { return checkPhase(w.Phase) }

var _ = declare[WorkAttempted]("work.attempted", "a worker begins with a task", irreversible, appendable, requires("task"))

// WorkEnded is the result of an attempt at a task.
type WorkEnded struct {
	Run     string `json:"run,omitempty"`
	Task    string `json:"task"`
	Phase   int    `json:"phase,omitempty"` // as in WorkAttempted
	Success bool   `json:"success,omitempty"`
	Error   string `json:"error,omitempty"`   // the message of a failure
	Pattern string `json:"pattern,omitempty"` // the pattern in Error of a full context; empty for other failures
	Part    int    `json:"part,omitempty"`    // as in WorkAttempted
	Partial string `json:"partial,omitempty"` // output of a failed worker, or of a worker that did a part of the task
	// Interrupted is set if the worker was ended from outside, which is no failure: the attempt is repeated.
	Interrupted bool `json:"interrupted,omitempty"`
}

func (WorkEnded) event() {}

func (w WorkEnded) validate() error { return checkPhase(w.Phase) }

var _ = declare[WorkEnded]("work.ended", "an attempt at a task ended", irreversible, appendable, requires("task"))

// WorkFinished is the outcome of a task: it never runs again (S4.7).
type WorkFinished struct {
	Run     string `json:"run,omitempty"`
	Task    string `json:"task"`
	Success bool   `json:"success,omitempty"` // also set for a recovered task (S4.5)
	Phase   int    `json:"phase,omitempty"`   // of the last attempt
	Result  string `json:"result,omitempty"`  // JSON text: the worker's result
	Error   string `json:"error,omitempty"`   // of the first attempt, if nothing helped
}

func (WorkFinished) event() {}

func (w WorkFinished) validate() error { return checkPhase(w.Phase) }

var _ = declare[WorkFinished]("work.finished", "what became of a task", irreversible, appendable, requires("task"))

// WorkReported is the whole state of a task as another program, or one of its files, reports it (S4.3, docs/FILES.md
// §S4). It replaces the log's knowledge of the task.
type WorkReported struct {
	Task         string `json:"task"` // the key of the state
	ID           string `json:"id,omitempty"`
	Prompt       string `json:"prompt,omitempty"`
	PromptLength int    `json:"prompt_length,omitempty"`
	Type         string `json:"type,omitempty"`
	HasContext   bool   `json:"has_context,omitempty"`
	HasFiles     bool   `json:"has_files,omitempty"`

	Error   string `json:"error,omitempty"`
	Pattern string `json:"pattern,omitempty"`

	Phases     []WorkPhase `json:"phases,omitempty"` // phases 1 and 2
	Recovered  bool        `json:"recovered,omitempty"`
	FinalPhase int         `json:"final_phase,omitempty"`
	Retries    int         `json:"retries,omitempty"`
	Partial    []string    `json:"partial,omitempty"` // JSON texts

	// The times are those of that program, in RFC 3339 as written. They order nothing.
	Started   string `json:"started,omitempty"`
	Completed string `json:"completed,omitempty"`

	Digest string `json:"digest,omitempty"` // SHA-256 of the file's bytes, in hex; empty for no file
}

// WorkPhase is one phase of a WorkReported.
type WorkPhase struct {
	Attempted bool   `json:"attempted,omitempty"`
	Success   bool   `json:"success,omitempty"`
	Length    int    `json:"length,omitempty"` // of the prompt sent
	Error     string `json:"error,omitempty"`
	Result    string `json:"result,omitempty"` // JSON text
	Start     string `json:"start,omitempty"`
	End       string `json:"end,omitempty"`
}

func (WorkReported) event() {}

func (w WorkReported) validate() error {
	if len(w.Phases) > maxPhase {
		return fmt.Errorf("%d phases, there are %d", len(w.Phases), maxPhase)
	}
	return nil
}

var _ = declare[WorkReported]("work.imported", "the state of a task as another program reported it", irreversible, appendable, requires("task"))

// WorkExpired records that states of tasks are no longer needed (S4.4). The events behind them stay.
type WorkExpired struct {
	Tasks []WorkName `json:"tasks"`
}

// WorkName identifies a task of a run, or of none.
type WorkName struct {
	Run  string `json:"run,omitempty"`
	Task string `json:"task"`
}

func (WorkExpired) event() {}

var _ = declare[WorkExpired]("work.expired", "states of tasks are not needed any more", irreversible, appendable)
