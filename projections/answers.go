package projections

import "journal/events"

// AnswersState is what was given to the agent and to the person, so that
// nothing is given twice.
type AnswersState struct {
	Recovery int    `json:"recovery"`       // ordinal of the newest compaction whose recovery text was given, 0 none
	Stop     uint64 `json:"stop,omitempty"` // newest working note that the advice at the end of a turn spoke of
	Start    uint64 `json:"start,omitempty"`
	Seq      uint64 `json:"seq,omitempty"`
}

// Answers tells what was given to the agent and to the person.
var Answers = Declare("answers", 2, Lane, "what was given to the agent and to the person",
	On(func(s AnswersState, e events.RecoveryGiven, at At) AnswersState {
		s.Recovery, s.Seq = max(s.Recovery, e.Compaction), at.Seq
		return s
	}),
	On(func(s AnswersState, e events.NoticeGiven, at At) AnswersState {
		s.Seq = at.Seq
		switch e.Kind {
		case "stop":
			s.Stop = max(s.Stop, e.About)
		case "start":
			s.Start = max(s.Start, e.About)
		}
		return s
	}),
)
