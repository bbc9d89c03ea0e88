package projections

import (
	"cmp"
	"slices"

	"journal/events"
)

// DecisionState is one decision.
type DecisionState struct {
	Text     string `json:"text"`
	Question string `json:"question,omitempty"` // that the person answered with it
	Seq      uint64 `json:"seq"`                // when it was first recorded, or when it came to hold again
	At       Stamp  `json:"at"`
	Weak     bool   `json:"weak,omitempty"` // read out of prose, not recorded on purpose
	Session  string `json:"session"`
	// Replaced is the decision that took its place, Retracted is where it was taken
	// back: it does not hold any more. 0 none.
	Replaced  uint64 `json:"replaced_by,omitempty"`
	Retracted uint64 `json:"retracted,omitempty"`
}

// Holds says whether nothing took the decision back or its place.
func (d DecisionState) Holds() bool { return d.Replaced == 0 && d.Retracted == 0 }

// DecisionsState is a list of decisions, oldest first, each text of a session once.
type DecisionsState struct {
	keyed[decisionKey, DecisionState]
}

type decisionKey struct{ session, question, text string }

func (d DecisionState) key() decisionKey { return decisionKey{d.Session, d.Question, d.Text} }

// Decisions lists what was decided in the project, oldest first, each text of a
// session once: what somebody recorded, and what the person answered when asked.
// One that was read out of prose and is recorded on purpose later is weak no more;
// one that was taken back and is decided again holds from then on.
var Decisions = Declare("decisions", 2, Project, "what was decided",
	On(func(s DecisionsState, e events.DecisionRecorded, at At) DecisionsState {
		s = s.decided(DecisionState{Text: e.Text, Weak: e.Weak}, at)
		return s.change(e.Replaces, func(d *DecisionState) {
			if d.Text != e.Text { // nothing takes its own place
				d.Replaced = at.Seq
			}
		})
	}),
	On(func(s DecisionsState, e events.QuestionAnswered, at At) DecisionsState {
		return s.decided(DecisionState{Text: e.Answer, Question: e.Question}, at)
	}),
	On(func(s DecisionsState, e events.DecisionRetracted, at At) DecisionsState {
		return s.change(e.Decision, func(d *DecisionState) { d.Retracted = cmp.Or(d.Retracted, at.Seq) })
	}),
)

func (s DecisionsState) decided(is DecisionState, at At) DecisionsState {
	is.Session, is.Seq, is.At = at.Session, at.Seq, Stamp(at.At)
	was, i, ok := s.of(is.key())
	switch {
	case !ok:
		s.keyed = s.with(is)
	case !was.Holds() && !is.Weak: // prose repeats what was taken back
		s.keyed = s.set(i, is)
	case was.Weak && !is.Weak:
		was.Weak = false
		s.keyed = s.set(i, was)
	}
	return s
}

// change changes the decision with a sequence, if there is one.
func (s DecisionsState) change(seq uint64, f func(*DecisionState)) DecisionsState {
	if seq == 0 {
		return s
	}
	i := s.Len()
	for d := range s.Backward() {
		if i--; d.Seq == seq {
			f(&d)
			s.keyed = s.set(i, d)
			break
		}
	}
	return s
}

// About gives what a session decided, and of what others did the newest that hold, at most so many; and how many there are
// beside these.
func (s DecisionsState) About(session string, others int) (some []DecisionState, more int) {
	for d := range s.Backward() {
		switch own := d.Session == session; {
		case !own && (others == 0 || !d.Holds()):
			more++
			continue
		case !own:
			others--
		}
		some = append(some, d)
	}
	slices.Reverse(some)
	return some, more
}

// Equal says whether two lists hold equal decisions; comparisons in tests use it.
func (s DecisionsState) Equal(t DecisionsState) bool { return s.List.Equal(t.List) }
