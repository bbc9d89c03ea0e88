package projections

import "encoding/json"

// WorkTask is the state of a task of a worker, in the form and with the keys that
// users of context-limit recovery know (S4.3, docs/FILES.md §S4). Lengths are in
// characters that a person sees, of the prompts that were really sent.
type WorkTask struct {
	TaskID         string       `json:"taskId"`
	OriginalTask   WorkOriginal `json:"originalTask"`
	Error          *WorkError   `json:"error"` // how the first attempt failed; null when it did not
	Recovery       WorkRecovery `json:"recovery"`
	Recovered      bool         `json:"recovered"`
	FinalPhase     int          `json:"finalPhase"`
	TotalRetries   int          `json:"totalRetries"`
	PartialResults []WorkText   `json:"partialResults"`
	Timestamps     WorkTimes    `json:"timestamps"`
	// Result is what a task gave that needed no recovery.
	Result WorkText `json:"result,omitempty"`
	// Dropped says that results were left out here, because the state would hold too
	// much: the log still has them.
	Dropped bool `json:"dropped,omitempty"`

	Run  string      `json:"-"` // empty: of no run
	Open *WorkWorker `json:"-"` // an attempt whose end nobody told
	Seq  uint64      `json:"-"` // last change
	At   Stamp       `json:"-"` // of the last change
}

// WorkOriginal is the task as it was given.
type WorkOriginal struct {
	ID           string `json:"id"`
	Prompt       string `json:"prompt"` // how it begins
	Type         string `json:"type"`
	HasContext   bool   `json:"hasContext"`
	HasFiles     bool   `json:"hasFiles"`
	PromptLength int    `json:"promptLength"`
}

// WorkError is how an attempt failed, and the pattern of the context's limit in it.
type WorkError struct {
	Message string `json:"message"`
	Pattern string `json:"pattern"` // empty for other failures
}

// WorkRecovery is what came of the two phases.
type WorkRecovery struct {
	Phase1 WorkReduced `json:"phase1"`
	Phase2 WorkSplit   `json:"phase2"`
}

// WorkReduced is phase 1.
type WorkReduced struct {
	Attempted bool     `json:"attempted"`
	Success   bool     `json:"success"`
	Length    int      `json:"reducedPromptLength"`
	Error     string   `json:"error,omitempty"`
	Result    WorkText `json:"result,omitempty"`
}

// WorkSplit is phase 2.
type WorkSplit struct {
	Attempted bool     `json:"attempted"`
	Success   bool     `json:"success"`
	Length    int      `json:"splitPromptLength"`
	Error     string   `json:"error,omitempty"`
	Result    WorkText `json:"result,omitempty"`
}

// WorkTimes says when what happened, by the clocks of those who reported it.
type WorkTimes struct {
	Started     WorkTime `json:"started"`
	Phase1Start WorkTime `json:"phase1Start"`
	Phase1End   WorkTime `json:"phase1End"`
	Phase2Start WorkTime `json:"phase2Start"`
	Phase2End   WorkTime `json:"phase2End"`
	Completed   WorkTime `json:"completed"`
}

// newest gives the last of the times that can be read, 0 for none.
func (t WorkTimes) newest() Stamp {
	var last Stamp
	for _, at := range []WorkTime{t.Started, t.Phase1Start, t.Phase1End, t.Phase2Start, t.Phase2End, t.Completed} {
		last = max(last, stampOf(string(at)))
	}
	return last
}

// WorkTime is a time in RFC 3339; null in JSON when it is empty.
type WorkTime string

func (t WorkTime) MarshalJSON() ([]byte, error) {
	if t == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(t))
}

func workTime(s Stamp) WorkTime { return WorkTime(s.Time().Format("2006-01-02T15:04:05.000Z")) }

// WorkText is JSON text. What is no JSON, because it was cut, is spelled as a string.
type WorkText string

func (t WorkText) MarshalJSON() ([]byte, error) {
	if json.Valid([]byte(t)) {
		return []byte(t), nil
	}
	return json.Marshal(string(t))
}

// WorkWorker is a worker that somebody saw begin.
type WorkWorker struct {
	Phase int
	PID   int // 0 when it is not known
	Start int64
}

// Finished says whether the task has an outcome: it does not run again.
func (t WorkTask) Finished() bool { return t.Timestamps.Completed != "" }
