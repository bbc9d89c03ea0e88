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

// Decisions lists what was decided in the project, oldest first, each text of a
// session once. One that was read out of prose and is recorded on purpose later
// is weak no more.
var Decisions = Declare("decisions", 1, Project, "what was decided",
	On(func(l List[DecisionState], e events.DecisionRecorded, at At) List[DecisionState] {
		i := l.Len()
		for d := range l.Backward() {
			i--
			if d.Text != e.Text || d.Session != at.Session {
				continue
			}
			if d.Weak && !e.Weak {
				d.Weak = false
				return l.Set(i, d)
			}
			return l
		}
		return l.Append(DecisionState{Text: e.Text, Seq: at.Seq, At: Stamp(at.At), Weak: e.Weak, Session: at.Session})
	}),
)
