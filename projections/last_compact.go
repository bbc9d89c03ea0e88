package projections

import (
	"encoding/json"

	"journal/events"
)

// LastCompactState is the newest compaction of a lane and how many there were.
type LastCompactState struct {
	Count        int    `json:"count"`
	Seq          uint64 `json:"seq"` // its first fact
	At           Stamp  `json:"at"`
	Trigger      string `json:"trigger"` // manual, auto; empty when no hook told
	AgentID      string `json:"agent_id,omitempty"`
	CompoundDone bool   `json:"compound_done"`         // S1.6
	SummarySeq   uint64 `json:"summary_seq,omitempty"` // the event with its summary, 0 none yet

	// Facts is what decides whether the next fact belongs to this compaction.
	Facts CompactionFacts `json:"-"`
	// CompoundSeq is the newest compound of the project.
	CompoundSeq uint64 `json:"-"`
}

// CompactionFacts is what was seen of the newest compaction, and since its
// newest fact.
type CompactionFacts struct {
	Restarted, Completed bool

	Worked   bool // a tool was used since
	Spoken   bool // a prompt or an answer came since
	Intended bool // the agent meant to compact since
	Trigger  string
}

// LastCompact tells the newest compaction. However many hooks report one
// compaction, in whatever order, it is one (S0.6, DECISIONS 1.7): a fact begins
// a new compaction when work lies before it, or when its kind was seen already
// and something was said or intended since.
var LastCompact = Declare("last-compact", 1, Lane, "the newest compaction, and how many there were",
	On(LastCompactState.intended),
	On(LastCompactState.restarted),
	On(LastCompactState.completed),
	On(func(s LastCompactState, _ events.ToolStarted, _ At) LastCompactState { return s.worked() }),
	On(func(s LastCompactState, _ events.ToolUsed, _ At) LastCompactState { return s.worked() }),
	On(func(s LastCompactState, _ events.CommandRan, _ At) LastCompactState { return s.worked() }),
	On(func(s LastCompactState, _ events.FileRead, _ At) LastCompactState { return s.worked() }),
	On(func(s LastCompactState, _ events.FileWritten, _ At) LastCompactState { return s.worked() }),
	On(func(s LastCompactState, _ events.PromptSubmitted, _ At) LastCompactState { return s.spoken() }),
	On(func(s LastCompactState, _ events.TurnEnded, _ At) LastCompactState { return s.spoken() }),
	OnIn(Project, LastCompactState.compounded),
)

func (s LastCompactState) intended(e events.CompactionIntended, _ At) LastCompactState {
	s.Facts.Intended, s.Facts.Trigger = true, e.Trigger
	return s
}

func (s LastCompactState) restarted(_ events.ContextRestarted, at At) LastCompactState {
	s = s.fact(s.Facts.Restarted, at)
	s.Facts.Restarted = true
	return s
}

func (s LastCompactState) completed(e events.CompactionCompleted, at At) LastCompactState {
	s = s.fact(s.Facts.Completed, at)
	s.Facts.Completed = true
	keep(&s.Trigger, e.Trigger)
	if e.Summary != "" && s.SummarySeq == 0 {
		s.SummarySeq = at.Seq
	}
	return s
}

// fact takes a fact of a kind that the current compaction has or has not seen.
func (s LastCompactState) fact(seen bool, at At) LastCompactState {
	f := s.Facts
	if s.Count == 0 || f.Worked || seen && (f.Spoken || f.Intended) {
		s = LastCompactState{
			Count: s.Count + 1, Seq: at.Seq, At: Stamp(at.At), AgentID: at.Lane, Trigger: f.Trigger,
			CompoundDone: s.CompoundSeq > s.Seq,
			CompoundSeq:  s.CompoundSeq,
		}
		f = CompactionFacts{}
	}
	f.Worked, f.Spoken, f.Intended, f.Trigger = false, false, false, ""
	s.Facts = f
	return s
}

func (s LastCompactState) worked() LastCompactState {
	s.Facts.Worked = true
	return s
}

func (s LastCompactState) spoken() LastCompactState {
	s.Facts.Spoken = true
	return s
}

func (s LastCompactState) compounded(_ events.CompoundFinished, at At) LastCompactState {
	s.CompoundSeq = at.Seq
	return s
}

// MarshalJSON gives {"count":0} and nothing else before the first compaction:
// scripts tell by count whether there was one.
func (s LastCompactState) MarshalJSON() ([]byte, error) {
	if s.Count == 0 {
		return []byte(`{"count":0}`), nil
	}
	type shown LastCompactState
	return json.Marshal(shown(s))
}
