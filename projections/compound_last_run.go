package projections

import "journal/events"

// CompoundState is the newest promotion of working notes to lasting knowledge.
type CompoundState struct {
	Seq      uint64 `json:"seq,omitempty"`
	At       Stamp  `json:"at,omitempty"`
	Promoted int    `json:"promoted"`
}

// CompoundLastRun tells when compound ran last in the project (S1.8).
var CompoundLastRun = Declare("compound-last-run", 1, Project, "when working notes were last promoted",
	On(func(_ CompoundState, e events.CompoundFinished, at At) CompoundState {
		return CompoundState{Seq: at.Seq, At: Stamp(at.At), Promoted: e.Promoted}
	}),
)
