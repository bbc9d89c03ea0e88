package projections

import (
	"github.com/vmihailenco/msgpack/v5"

	"journal/events"
)

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
	List[DecisionState]
	known places[decisionKey]
}

type decisionKey struct{ session, text string }

// Decisions lists what was decided in the project, oldest first, each text of a
// session once. One that was read out of prose and is recorded on purpose later
// is weak no more.
var Decisions = Declare("decisions", 1, Project, "what was decided",
	On(func(s DecisionsState, e events.DecisionRecorded, at At) DecisionsState {
		i, ok := s.known.of(decisionKey{at.Session, e.Text})
		if !ok {
			return s.with(DecisionState{Text: e.Text, Seq: at.Seq, At: Stamp(at.At), Weak: e.Weak, Session: at.Session})
		}
		if d := s.Get(i); d.Weak && !e.Weak {
			d.Weak = false
			s.List = s.Set(i, d)
		}
		return s
	}),
)

// with gives the list with one more decision.
func (s DecisionsState) with(d DecisionState) DecisionsState {
	s.known = s.known.with(decisionKey{d.Session, d.Text}, s.Len())
	s.List = s.Append(d)
	return s
}

// DecodeMsgpack reads the list and finds its places anew.
func (s *DecisionsState) DecodeMsgpack(dec *msgpack.Decoder) error {
	var l List[DecisionState]
	if err := l.DecodeMsgpack(dec); err != nil {
		return err
	}
	*s = DecisionsState{}
	for d := range l.All() {
		*s = s.with(d)
	}
	return nil
}

// Equal says whether two lists hold equal decisions; comparisons in tests use it.
func (s DecisionsState) Equal(t DecisionsState) bool { return s.List.Equal(t.List) }
