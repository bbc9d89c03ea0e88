package projections

import "journal/events"

// LastAnswerState is what the agent said last.
type LastAnswerState struct {
	Text string `json:"text,omitempty"`
	Seq  uint64 `json:"seq,omitempty"`
	At   Stamp  `json:"at,omitempty"`
}

// LastAnswer tells what the agent said at the end of its last turn: where it was,
// in its own words. A turn without words leaves it as it was.
var LastAnswer = Declare("last-answer", 1, Lane, "what the agent said last",
	On(func(s LastAnswerState, e events.TurnEnded, at At) LastAnswerState { return s.said(e.Text, at) }),
	On(func(s LastAnswerState, e events.SubagentEnded, at At) LastAnswerState { return s.said(e.Text, at) }),
)

func (s LastAnswerState) said(text string, at At) LastAnswerState {
	if text == "" {
		return s
	}
	return LastAnswerState{Text: text, Seq: at.Seq, At: Stamp(at.At)}
}
