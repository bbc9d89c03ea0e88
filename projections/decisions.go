package projections

import "journal/events"

// DecisionState is one decision.
type DecisionState struct {
	Text    string `json:"text"`
	Seq     uint64 `json:"seq"` // when it was first recorded
	At      Stamp  `json:"at"`
	Weak    bool   `json:"weak,omitempty"` // read out of prose, not recorded on purpose
	Session string `json:"session"`
}

// Decisions lists what was decided in the project, oldest first, each text once.
var Decisions = Declare("decisions", 1, Project, "what was decided",
	On(func(l List[DecisionState], e events.DecisionRecorded, at At) List[DecisionState] {
		for d := range l.Backward() {
			if d.Text == e.Text && d.Session == at.Session && (e.Weak || !d.Weak) {
				return l
			}
		}
		return l.Append(DecisionState{Text: e.Text, Seq: at.Seq, At: Stamp(at.At), Weak: e.Weak, Session: at.Session})
	}),
)
