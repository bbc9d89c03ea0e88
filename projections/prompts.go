package projections

import "journal/events"

// PromptState is one prompt of a person.
type PromptState struct {
	Text string `json:"text"`
	Seq  uint64 `json:"seq"`
	At   Stamp  `json:"at"`
}

// Prompts lists what a person asked for, oldest first. Prompts that the client wrote itself do not count.
var Prompts = Declare("prompts", 1, Lane, "what the person asked for",
	On(func(l List[PromptState], e events.PromptSubmitted, at At) List[PromptState] {
		if e.Machine || e.Text == "" {
			return l
		}
		return l.Append(PromptState{Text: e.Text, Seq: at.Seq, At: Stamp(at.At)})
	}),
)
