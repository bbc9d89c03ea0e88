package projections

import "journal/events"

// PlanState is the plan that the person approved last.
type PlanState struct {
	Text string `json:"text,omitempty"`
	File string `json:"file,omitempty"` // where the client keeps it
	Seq  uint64 `json:"seq,omitempty"`
	At   Stamp  `json:"at,omitempty"`
}

// Plan tells the plan that the person approved last. One that was refused is none,
// and a new one takes the place of the old.
var Plan = Declare("plan", 3, Lane, "the plan that the person approved last",
	On(func(_ PlanState, e events.PlanApproved, at At) PlanState {
		return PlanState{Text: e.Text, File: e.File, Seq: at.Seq, At: Stamp(at.At)}
	}),
	// Whoever takes a plan over from another machine goes on with that one.
	On(func(s PlanState, e events.HandoverTaken, at At) PlanState {
		if e.Plan == "" {
			return s
		}
		return PlanState{Text: e.Plan, Seq: at.Seq, At: Stamp(at.At)}
	}),
	// One of its own that it has already counts for more.
	On(func(s PlanState, e events.SessionCarried, at At) PlanState {
		if e.Plan == "" || s.Seq != 0 {
			return s
		}
		return PlanState{Text: e.Plan, File: e.File, Seq: at.Seq, At: Stamp(at.At)}
	}),
)
