package projections

import (
	"strings"

	"journal/events"
	"journal/events/text"
)

// PromptState is one prompt of a person.
type PromptState struct {
	Text string `json:"text"`
	// Asked is what the agent had said or asked last, of a reply so short that it
	// says nothing without it; empty where it is not known.
	Asked string `json:"asked,omitempty"`
	Seq   uint64 `json:"seq"`
	At    Stamp  `json:"at"`
}

// Reply says that the prompt is so short, as "yes" or "push it", that it only says
// something beside what it replies to.
func (p PromptState) Reply() bool { return text.Units(p.Text) <= maxReply }

// Bounds of a reply and of what it stands with, in UTF-16 units.
const (
	maxReply  = 24
	maxBefore = 240
)

// PromptsState lists prompts, oldest first, and keeps what a reply would answer.
type PromptsState struct {
	List[PromptState]
	Asked string
}

// Equal says whether two states are the same; comparisons in tests use it.
func (s PromptsState) Equal(t PromptsState) bool { return s.Asked == t.Asked && s.List.Equal(t.List) }

// Prompts lists what a person asked for, oldest first. Prompts that the client wrote itself do not count.
var Prompts = Declare("prompts", 2, Lane, "what the person asked for",
	On(func(s PromptsState, e events.PromptSubmitted, at At) PromptsState {
		if e.Machine || e.Text == "" {
			return s
		}
		p := PromptState{Text: e.Text, Seq: at.Seq, At: Stamp(at.At)}
		if p.Reply() {
			p.Asked = s.Asked
		}
		return PromptsState{List: s.Append(p)}
	}),
	On(func(s PromptsState, e events.TurnEnded, _ At) PromptsState {
		if e.Text != "" {
			s.Asked = asking(e.Text)
		}
		return s
	}),
)

// asking gives the end of an answer on one line, in whole lines where they are short
// enough: that is where an agent asks, and tells between what.
func asking(answer string) string {
	lines := strings.Split(text.Trimmed(answer), "\n")
	from, room := len(lines)-1, maxBefore-text.Units(lines[len(lines)-1])
	for ; from > 0 && text.Units(lines[from-1]) < room; from-- {
		room -= text.Units(lines[from-1]) + 1
	}
	return text.EndUnits(text.Line(strings.Join(lines[from:], "\n")), maxBefore)
}
