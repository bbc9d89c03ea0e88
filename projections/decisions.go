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

// DecisionsState is a list of decisions, oldest first, each text of a session once.
type DecisionsState struct {
	keyed[decisionKey, DecisionState]
}

type decisionKey struct{ session, text string }

func (d DecisionState) key() decisionKey { return decisionKey{d.Session, d.Text} }

// Decisions lists what was decided in the project, oldest first, each text of a session once. A weak one that is later
// recorded on purpose is no longer weak.
var Decisions = Declare("decisions", 1, Project, "what was decided",
	On(func(s DecisionsState, e events.DecisionRecorded, at At) DecisionsState {
		d, i, ok := s.of(decisionKey{at.Session, e.Text})
		switch {
		case !ok:
			s.keyed = s.with(DecisionState{Text: e.Text, Seq: at.Seq, At: Stamp(at.At), Weak: e.Weak, Session: at.Session})
		case d.Weak && !e.Weak:
			d.Weak = false
			s.keyed = s.set(i, d)
		}
		return s
	}),
)

// Equal says whether two lists hold equal decisions; comparisons in tests use it.
func (s DecisionsState) Equal(t DecisionsState) bool { return s.List.Equal(t.List) }
