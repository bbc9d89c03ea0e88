package projections

import (
	"strings"

	"journal/events"
	"journal/events/text"
)

// PromptState is one prompt of a person.
type PromptState struct {
	Text string `json:"text"`
	// Asked is the agent's last text or question before the prompt, for a prompt that may mean nothing without it; empty
	// if unknown. Choice is the options of that text that the prompt names, one or more lines each.
	Asked  string `json:"asked,omitempty"`
	Choice string `json:"choice,omitempty"`
	// Within reports whether the prompt came while a turn ran: it is not the request of the turn.
	Within bool `json:"within,omitempty"`
	// Compact reports whether it came with the command that compacts the context.
	Compact bool   `json:"compact,omitempty"`
	Seq     uint64 `json:"seq"`
	At      Stamp  `json:"at"`
}

// Reply reports whether the prompt is so short, like "yes" or "push it", that it needs the text that it replies to.
func (p PromptState) Reply() bool { return text.Units(p.Text) <= maxReply }

// PromptsState lists prompts, oldest first, with the answer that the next prompt may reply to.
type PromptsState struct {
	List[PromptState]
	Answer string
	Turn   string // of the newest prompt, empty if hooks do not report it
}

// Equal reports whether two states are equal; tests compare with it.
func (s PromptsState) Equal(t PromptsState) bool {
	return s.Answer == t.Answer && s.Turn == t.Turn && s.List.Equal(t.List)
}

// Request returns the request of the newest turn; prompts within the turn add to it. ok is false if there is no prompt.
func (s PromptsState) Request() (request PromptState, ok bool) {
	for p := range s.Backward() {
		if !ok || !p.Within {
			request, ok = p, true
		}
		if !p.Within {
			break
		}
	}
	return request, ok
}

// Prompts lists the person's requests, oldest first, and what they said with the command that compacts the context. It
// skips prompts that the client wrote itself.
var Prompts = Declare("prompts", 6, Lane, "what the person asked for",
	On(func(s PromptsState, e events.PromptSubmitted, at At) PromptsState {
		if e.Machine || e.Text == "" {
			return s
		}
		p := PromptState{Text: text.Linked(e.Text), Seq: at.Seq, At: Stamp(at.At)}
		// Some clients call a hook for prompts typed meanwhile, and name the running turn.
		p.Within = e.Within || at.Turn != "" && at.Turn == s.Turn
		if !p.Within {
			p.Asked, p.Choice = asking(p.Text, s.Answer)
		}
		return PromptsState{List: s.Append(p), Turn: at.Turn}
	}),
	On(func(s PromptsState, e events.CompactionIntended, m At) PromptsState {
		if words := text.Linked(strings.TrimSpace(e.Instructions)); words != "" && e.Trigger != "auto" {
			s.List = s.Append(PromptState{Text: words, Within: true, Compact: true, Seq: m.Seq, At: Stamp(m.At)})
		}
		return s
	}),
	On(func(s PromptsState, e events.TurnEnded, _ At) PromptsState {
		if e.Text != "" {
			s.Answer = text.EndUnits(e.Text, maxAnswer)
		}
		return s
	}),
	On(func(s PromptsState, e events.TurnInterrupted, at At) PromptsState {
		if e.Said != "" && (at.Turn == "" || at.Turn == s.Turn) { // it may be known only after the next prompt
			s.Answer = text.EndUnits(e.Said, maxAnswer)
		}
		return s
	}),
)

// LastAnswerState is the agent's last answer.
type LastAnswerState struct {
	Text    string `json:"text,omitempty"`
	Stopped bool   `json:"stopped,omitempty"` // the person interrupted the agent after these words
	Before  bool   `json:"before,omitempty"`  // they are known only after the next prompt
	Seq     uint64 `json:"seq,omitempty"`
	At      Stamp  `json:"at,omitempty"`
	Turn    string `json:"-"` // of the newest prompt
}

// LastAnswer records the agent's words at the end of its last turn: where it was, in its own words. A turn without
// words changes nothing.
var LastAnswer = Declare("last-answer", 2, Lane, "what the agent said last",
	On(func(s LastAnswerState, e events.PromptSubmitted, at At) LastAnswerState {
		if !e.Machine {
			s.Turn = at.Turn
		}
		return s
	}),
	On(func(s LastAnswerState, e events.TurnEnded, at At) LastAnswerState { return s.answered(e.Text, at) }),
	On(func(s LastAnswerState, e events.SubagentEnded, at At) LastAnswerState { return s.answered(e.Text, at) }),
	On(func(s LastAnswerState, e events.TurnInterrupted, at At) LastAnswerState {
		if e.Said == "" || e.Said == s.Text { // it was stopped after its answer
			return s
		}
		answer := s.answered(e.Said, at)
		answer.Stopped, answer.Before = true, at.Turn != "" && at.Turn != s.Turn
		return answer
	}),
)

func (s LastAnswerState) answered(text string, at At) LastAnswerState {
	switch {
	case text == "" && s.Stopped: // a text of an earlier turn ends no later one
		return LastAnswerState{Turn: s.Turn}
	case text == "":
		return s
	}
	return LastAnswerState{Text: text, Seq: at.Seq, At: Stamp(at.At), Turn: s.Turn}
}

// TaskState holds the task of a subagent.
type TaskState struct {
	Text string `json:"text,omitempty"`
	Seq  uint64 `json:"seq,omitempty"`
}

// Task records the task of the lane's subagent; the main thread has no task. The main thread states the task, so it is
// read in the whole session.
var Task = Declare("task", 1, Lane, "what the subagent was asked to do",
	OnIn(Session, func(s TaskState, e events.SubagentTasked, at At) TaskState {
		if e.Lane == "" || e.Lane != at.Target.Lane {
			return s
		}
		return TaskState{Text: e.Text, Seq: at.Seq}
	}),
)
