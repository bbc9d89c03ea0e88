package projections

import (
	"cmp"

	"journal/events"
)

// DecisionState is one decision.
type DecisionState struct {
	Text     string `json:"text"`
	Question string `json:"question,omitempty"` // the question that the decision answers, empty for none
	Seq      uint64 `json:"seq"`                // the event since which the decision is known, or holds again
	At       Stamp  `json:"at"`
	Weak     bool   `json:"weak,omitempty"` // found in an answer of the model, not recorded on purpose
	Session  string `json:"session"`
	// Replaced is the later decision that replaced this decision, and Retracted the event that retracted it; 0 for none.
	Replaced  uint64 `json:"replaced_by,omitempty"`
	Retracted uint64 `json:"retracted,omitempty"`
}

// Holds reports whether the decision was neither retracted nor replaced.
func (d DecisionState) Holds() bool { return d.Replaced == 0 && d.Retracted == 0 }

// DecisionsState lists decisions, oldest first, each text once per session and question.
type DecisionsState struct {
	keyed[decisionKey, DecisionState]
}

type decisionKey struct{ session, question, text string }

func (d DecisionState) key() decisionKey { return decisionKey{d.Session, d.Question, d.Text} }

// Decisions lists the project's decisions: recorded decisions, and the person's answers to questions. If a weak decision is
// later recorded on purpose, it is no longer weak. If a decision that no longer holds is recorded on purpose, it holds again.
var Decisions = Declare("decisions", 2, Project, "what was decided",
	On(func(s DecisionsState, e events.DecisionRecorded, at At) DecisionsState {
		s = s.decided(DecisionState{Text: e.Text, Weak: e.Weak}, at)
		return s.change(e.Replaces, func(d *DecisionState) {
			if d.Text != e.Text { // a decision does not replace itself
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

func (s DecisionsState) decided(d DecisionState, at At) DecisionsState {
	d.Session, d.Seq, d.At = at.Session, at.Seq, Stamp(at.At)
	old, i, ok := s.find(d.key())
	switch {
	case !ok:
		s.keyed = s.with(d)
	case !old.Holds() && !d.Weak: // an answer of the model may repeat a decision that no longer holds
		s.keyed = s.set(i, d)
	case old.Weak && !d.Weak:
		old.Weak = false
		s.keyed = s.set(i, old)
	}
	return s
}

// change applies f to the decision with a sequence, if there is one.
func (s DecisionsState) change(seq uint64, f func(*DecisionState)) DecisionsState {
	if seq != 0 {
		s.List = s.changeLast(func(d DecisionState) bool { return d.Seq == seq }, f)
	}
	return s
}

// Equal reports whether two lists hold equal decisions; tests compare with it.
func (s DecisionsState) Equal(t DecisionsState) bool { return s.List.Equal(t.List) }
