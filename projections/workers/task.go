// Package workers has the folds of tasks that workers run, and of runs of such tasks.
package workers

import (
	"encoding/json"

	"journal/projections"
)

// Task is the state of a worker's task, in the form and with the keys that users of context-limit recovery know (S4.3,
// docs/FILES.md §S4). Lengths are in characters as a person sees them.
type Task struct {
	TaskID         string   `json:"taskId"`
	OriginalTask   Original `json:"originalTask"`
	Error          *Error   `json:"error"` // failure of the first attempt; null for none
	Recovery       Recovery `json:"recovery"`
	Recovered      bool     `json:"recovered"`    // a phase of the recovery did the whole task
	FinalPhase     int      `json:"finalPhase"`   // the last phase that was tried; 0 for the first attempt
	TotalRetries   int      `json:"totalRetries"` // number of phases of the recovery that were tried
	PartialResults []Text   `json:"partialResults"`
	Timestamps     Times    `json:"timestamps"`
	// NotAsked is the part of the prompt that no attempt has sent to a worker. It is empty for a recovered task.
	NotAsked string `json:"notAsked,omitempty"`
	// Result is the result of a task that needed no recovery.
	Result Text `json:"result,omitempty"`
	// Dropped is set if the results were dropped to bound the state. The log still has them.
	Dropped bool `json:"dropped,omitempty"`

	Run     string            `json:"-"` // empty for a task outside of runs
	Session string            `json:"-"` // the session that started or reported it
	Open    *Worker           `json:"-"` // the attempt whose end is not reported, nil for none
	Seq     uint64            `json:"-"` // last change
	At      projections.Stamp `json:"-"` // time of the last change
}

// Original is the task as the session sent it.
type Original struct {
	ID           string `json:"id"`
	Prompt       string `json:"prompt"` // beginning of the prompt
	Type         string `json:"type"`
	HasContext   bool   `json:"hasContext"`
	HasFiles     bool   `json:"hasFiles"`
	PromptLength int    `json:"promptLength"` // of the whole prompt
}

// Error is the failure of an attempt, and the pattern in its message that shows a full context.
type Error struct {
	Message string `json:"message"`
	Pattern string `json:"pattern"` // empty for other failures
}

// Recovery holds the outcomes of the two phases of a recovery.
type Recovery struct {
	Phase1 Reduced `json:"phase1"`
	Phase2 Split   `json:"phase2"`
}

// Reduced is the outcome of phase 1, with a reduced prompt.
type Reduced struct {
	Attempted bool   `json:"attempted"`
	Success   bool   `json:"success"`
	Length    int    `json:"reducedPromptLength"` // of the prompt sent
	Error     string `json:"error,omitempty"`
	Result    Text   `json:"result,omitempty"`
}

// Split is the outcome of phase 2, with a split prompt.
type Split struct {
	Attempted bool   `json:"attempted"`
	Success   bool   `json:"success"`
	Length    int    `json:"splitPromptLength"` // of the first part sent
	Error     string `json:"error,omitempty"`
	Result    Text   `json:"result,omitempty"`
}

// Times are the times of a task's steps, by the reporters' clocks.
type Times struct {
	Started     Time `json:"started"`
	Phase1Start Time `json:"phase1Start"`
	Phase1End   Time `json:"phase1End"`
	Phase2Start Time `json:"phase2Start"`
	Phase2End   Time `json:"phase2End"`
	Completed   Time `json:"completed"`
}

// newest returns the latest valid time, 0 for none.
func (t Times) newest() projections.Stamp {
	var last projections.Stamp
	for _, at := range []Time{t.Started, t.Phase1Start, t.Phase1End, t.Phase2Start, t.Phase2End, t.Completed} {
		last = max(last, projections.StampOf(string(at)))
	}
	return last
}

// Time is a time in RFC 3339; null in JSON if empty.
type Time string

// MarshalJSON encodes a string, or null.
func (t Time) MarshalJSON() ([]byte, error) {
	if t == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(t))
}

func timeOf(s projections.Stamp) Time { return Time(s.Time().Format("2006-01-02T15:04:05.000Z")) }

// Text is JSON text. Text that is no valid JSON, such as cut JSON, is encoded as a string.
type Text string

// MarshalJSON returns the text itself if it is valid JSON, else a string with it.
func (t Text) MarshalJSON() ([]byte, error) {
	if json.Valid([]byte(t)) {
		return []byte(t), nil
	}
	return json.Marshal(string(t))
}

// Worker is the worker of an attempt. Its fields are as in events.WorkAttempted.
type Worker struct {
	Phase int
	PID   int
	Start int64
}

// Failed reports whether the outcome of the task is a failure: not even a part of it succeeded.
func (t Task) Failed() bool {
	return t.Finished() && t.Error != nil && !t.Recovered && !t.PhaseSucceeded()
}

// PhaseSucceeded reports whether the task has an outcome and a phase of its recovery succeeded, with the whole prompt or a part of
// it. It is false for a task that needed no recovery.
func (t Task) PhaseSucceeded() bool {
	return t.Finished() && (t.Recovery.Phase1.Success || t.Recovery.Phase2.Success)
}

// Finished reports whether the task has an outcome: it does not run again.
func (t Task) Finished() bool { return t.Timestamps.Completed != "" }
