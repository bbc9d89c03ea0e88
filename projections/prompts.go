package projections

import (
	"cmp"
	"strings"

	"journal/events"
	"journal/events/text"
)

// PromptState is one prompt of a person.
type PromptState struct {
	Text string `json:"text"`
	// Asked is what the agent had said or asked last, of a prompt so short that it may
	// say nothing without it; empty where it is not known.
	Asked string `json:"asked,omitempty"`
	// Within says that it was said while a turn ran: the request of the turn is another one.
	Within bool   `json:"within,omitempty"`
	Seq    uint64 `json:"seq"`
	At     Stamp  `json:"at"`
}

// Reply says that the prompt is so short, as "yes" or "push it", that it only says
// something beside what it replies to.
func (p PromptState) Reply() bool { return text.Units(p.Text) <= maxReply }

// Bounds of a reply, of a prompt that may not be understood alone, and of what they stand
// with, in UTF-16 units.
const (
	maxReply  = 24
	maxTerse  = 110
	maxBefore = 240
)

// PromptsState lists prompts, oldest first, and keeps what a reply would answer.
type PromptsState struct {
	List[PromptState]
	Asked string
	Turn  string // of the newest prompt, empty where hooks do not tell it
}

// Equal says whether two states are the same; comparisons in tests use it.
func (s PromptsState) Equal(t PromptsState) bool {
	return s.Asked == t.Asked && s.Turn == t.Turn && s.List.Equal(t.List)
}

// Request is the request of the newest turn; what was said within the turn adds to it. It is false when nothing was asked.
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

// Prompts lists what a person asked for, oldest first. Prompts that the client wrote itself do not count.
var Prompts = Declare("prompts", 3, Lane, "what the person asked for",
	On(func(s PromptsState, e events.PromptSubmitted, at At) PromptsState {
		if e.Machine || e.Text == "" {
			return s
		}
		p := PromptState{Text: text.Linked(e.Text), Seq: at.Seq, At: Stamp(at.At)}
		// Clients that call a hook for what is typed meanwhile name the running turn.
		p.Within = e.Within || at.Turn != "" && at.Turn == s.Turn
		if !p.Within && text.Units(p.Text) <= maxTerse {
			p.Asked = s.Asked
		}
		return PromptsState{List: s.Append(p), Turn: at.Turn}
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

// LastAnswerState is what the agent said last.
type LastAnswerState struct {
	Text string `json:"text,omitempty"`
	Seq  uint64 `json:"seq,omitempty"`
	At   Stamp  `json:"at,omitempty"`
}

// LastAnswer tells what the agent said at the end of its last turn: where it was,
// in its own words. A turn without words leaves it as it was.
var LastAnswer = Declare("last-answer", 1, Lane, "what the agent said last",
	On(func(s LastAnswerState, e events.TurnEnded, at At) LastAnswerState { return s.answered(e.Text, at) }),
	On(func(s LastAnswerState, e events.SubagentEnded, at At) LastAnswerState { return s.answered(e.Text, at) }),
)

func (s LastAnswerState) answered(text string, at At) LastAnswerState {
	if text == "" {
		return s
	}
	return LastAnswerState{Text: text, Seq: at.Seq, At: Stamp(at.At)}
}

// TaskState is what a subagent was asked to do.
type TaskState struct {
	Text string `json:"text,omitempty"`
	Seq  uint64 `json:"seq,omitempty"`
}

// Task tells what the subagent of the lane was asked to do; nothing of the main
// thread. The main thread gives the task, so it is read in the whole session.
var Task = Declare("task", 1, Lane, "what the subagent was asked to do",
	OnIn(Session, func(s TaskState, e events.SubagentTasked, at At) TaskState {
		if e.Lane == "" || e.Lane != at.Target.Lane {
			return s
		}
		return TaskState{Text: e.Text, Seq: at.Seq}
	}),
)

// SaidState is what the agent said last since the newest prompt of a person.
type SaidState struct {
	Text string `json:"text,omitempty"`
	Seq  uint64 `json:"seq,omitempty"`
	// Ended is how the newest turn ended, and Before that of the turn before the prompt: a transcript that is read too
	// early still ends with it.
	Ended, Before string `json:"-"`
}

// Said tells the agent's last words within the running turn, else those that ended it. What was said before the newest
// prompt is nothing that was said last.
var Said = Declare("said", 1, Lane, "what the agent said last since the newest prompt",
	On(func(s SaidState, e events.PromptSubmitted, _ At) SaidState {
		if e.Machine || e.Text == "" {
			return s
		}
		return SaidState{Before: s.Ended, Ended: s.Ended}
	}),
	On(func(s SaidState, e events.MomentRecorded, at At) SaidState {
		if e.Said == s.Before && e.Said != "" {
			return s
		}
		s.Text, s.Seq = e.Said, at.Seq
		return s
	}),
	On(func(s SaidState, e events.TurnEnded, at At) SaidState { return s.finished(e.Text, at) }),
	On(func(s SaidState, e events.SubagentEnded, at At) SaidState { return s.finished(e.Text, at) }),
)

func (s SaidState) finished(text string, at At) SaidState {
	if text != "" {
		s.Text, s.Seq, s.Ended = text, at.Seq, text
	}
	return s
}

// The outcomes of a call.
const (
	CallWorked  = "ok"
	CallFailed  = "failed"
	CallRefused = "refused"
	CallRunning = "running" // in the background
)

// CallState is the newest tool call of the running turn.
type CallState struct {
	Tool    string `json:"tool,omitempty"`
	Target  string `json:"target,omitempty"` // the command, the file, or what was searched for
	Outcome string `json:"outcome,omitempty"`
	Error   string `json:"error,omitempty"`
	Said    string `json:"said,omitempty"` // what a test, a build or a linter says of how it went
	Seq     uint64 `json:"seq,omitempty"`
}

// LastCall tells the newest tool call since the request of the turn, and how it ended. The agent's own lists are no calls
// that anybody goes on from.
var LastCall = Declare("last-call", 3, Lane, "the newest tool call of the turn and how it ended",
	On(func(s CallState, e events.PromptSubmitted, _ At) CallState {
		if e.Machine || e.Within || e.Text == "" {
			return s
		}
		return CallState{}
	}),
	On(func(CallState, events.TurnEnded, At) CallState { return CallState{} }),
	On(func(s CallState, e events.CommandRan, at At) CallState {
		if e.Person {
			return s
		}
		c := CallState{Target: e.Command, Outcome: outcome(e.Failed || e.Mark != ""), Error: cmp.Or(e.Error, e.Mark), Said: e.Outcome, Seq: at.Seq}
		if e.Background != "" {
			c.Outcome, c.Error = CallRunning, ""
		}
		return c
	}),
	On(func(s CallState, e events.FileWritten, at At) CallState {
		return CallState{Tool: cmp.Or(e.Tool, e.Op), Target: e.Path, Outcome: CallWorked, Seq: at.Seq}
	}),
	On(func(s CallState, e events.FileRead, at At) CallState {
		return CallState{Tool: "Read", Target: e.Path, Outcome: CallWorked, Seq: at.Seq}
	}),
	On(func(s CallState, e events.ToolUsed, at At) CallState {
		if e.Void {
			return s
		}
		c := CallState{Tool: e.Tool, Target: e.Query, Outcome: outcome(e.Failed), Error: e.Error, Seq: at.Seq}
		if len(e.Paths) > 0 && c.Target == "" {
			c.Target = e.Paths[0]
		}
		return c
	}),
	On(func(s CallState, e events.ToolRefused, at At) CallState {
		return CallState{Tool: e.Tool, Target: e.Target, Outcome: CallRefused, Error: e.Words, Seq: at.Seq}
	}),
)

func outcome(failed bool) string {
	if failed {
		return CallFailed
	}
	return CallWorked
}
