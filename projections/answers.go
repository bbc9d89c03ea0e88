package projections

import "journal/events"

// AnswersState is what was given to the agent, so that nothing is given twice.
type AnswersState struct {
	Recovery int    `json:"recovery"` // ordinal of the newest compaction whose recovery text was given, 0 none
	Seq      uint64 `json:"seq,omitempty"`
}

// Answers tells what was given to the agent.
var Answers = Declare("answers", 1, Lane, "what was given to the agent",
	On(func(s AnswersState, e events.RecoveryGiven, at At) AnswersState {
		return AnswersState{Recovery: max(s.Recovery, e.Compaction), Seq: at.Seq}
	}),
)
