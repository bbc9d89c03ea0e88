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
	// Asked is the question to which the prompt replies, or the end of the answer. Choice has the options of that answer that the
	// prompt names. Both are empty if they are unknown, or if the prompt can be understood without them.
	Asked  string `json:"asked,omitempty"`
	Choice string `json:"choice,omitempty"`
	// DuringTurn is set if the prompt came while a turn ran, or with the command that compacts: it is not the request of a turn.
	DuringTurn bool `json:"within,omitempty"`
	// Stopped is set if the person interrupted the turn of this request.
	Stopped bool `json:"stopped,omitempty"`
	// Compact is set if the text came with the command that compacts the context.
	Compact bool   `json:"compact,omitempty"`
	Seq     uint64 `json:"seq"`
	At      Stamp  `json:"at"`
}

// Reply reports whether the prompt is so short, such as "yes" or "push it", that nobody understands it without the text to which
// it replies.
func (p PromptState) Reply() bool { return text.Units(p.Text) <= maxReply }

// PointsBack reports whether the prompt is short and points to something before it, such as "those".
func (p PromptState) PointsBack() bool { return pointsBack(p.Text) }

// PromptsState lists prompts, oldest first.
type PromptsState struct {
	List[PromptState]
	Answer string // end of the agent's newest answer since the newest prompt; the next prompt may reply to it
	Turn   string // turn of the newest prompt, empty if hooks do not report it
	before string // the turn before Turn
	// earlier is the newest Answer that the agent gave before the newest prompt. The prompt after an interrupted one may still reply to it.
	earlier string
}

// Equal reports whether two states are equal; tests compare with it.
func (s PromptsState) Equal(t PromptsState) bool {
	return s.Answer == t.Answer && s.Turn == t.Turn && s.before == t.before && s.earlier == t.earlier && s.List.Equal(t.List)
}

// Request returns the request of the newest turn: its first prompt. ok is false if there is no prompt.
func (s PromptsState) Request() (request PromptState, ok bool) {
	for p := range s.Backward() {
		if !ok || !p.DuringTurn {
			request, ok = p, true
		}
		if !p.DuringTurn {
			break
		}
	}
	return request, ok
}

// Prompts lists the person's prompts, oldest first, and their instructions with the command that compacts the context. It
// skips prompts that no person typed.
var Prompts = Declare("prompts", 10, Lane, "what the person asked for",
	On(func(s PromptsState, e events.PromptSubmitted, at At) PromptsState {
		if e.Machine || e.Text == "" {
			return s
		}
		p := PromptState{Text: text.Linked(e.Text), Seq: at.Seq, At: Stamp(at.At)}
		// Some clients call the hook of a new prompt, with the id of the running turn, for a prompt typed while a turn runs.
		p.DuringTurn = e.DuringTurn || at.Turn != "" && at.Turn == s.Turn
		if !p.DuringTurn {
			p.Asked, p.Choice = replyContext(p.Text, s.Answer)
			switch previous, ok := s.Last(); {
			case !ok || s.Answer != "":
			case previous.Text == p.Text: // sent again after an error
				p.Asked, p.Choice = previous.Asked, previous.Choice
			case previous.Stopped: // before the agent said anything
				p.Asked, p.Choice = replyContext(p.Text, s.earlier)
			}
		}
		if at.Turn != s.Turn {
			s.before = s.Turn
		}
		return PromptsState{List: s.Append(p), Turn: at.Turn, before: s.before, earlier: cmp.Or(s.Answer, s.earlier)}
	}),
	On(func(s PromptsState, e events.CompactionIntended, at At) PromptsState {
		if words := text.Linked(strings.TrimSpace(e.Instructions)); words != "" && e.Trigger != "auto" {
			s.List = s.Append(PromptState{Text: words, DuringTurn: true, Compact: true, Seq: at.Seq, At: Stamp(at.At)})
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
		if at.Turn != "" && at.Turn != s.Turn {
			return s.interruptedBefore(e, at.Turn)
		}
		if e.Said != "" {
			s.Answer = text.EndUnits(e.Said, maxAnswer)
		}
		s.List = s.changeLast(func(p PromptState) bool { return !p.DuringTurn }, func(p *PromptState) { p.Stopped = true })
		return s
	}),
)

// interruptedBefore returns the state after a late report that a turn was interrupted: the next prompt came before the report. The
// request of the newest turn then replies to the agent's words in the interrupted turn. A report of an older turn changes nothing.
func (s PromptsState) interruptedBefore(e events.TurnInterrupted, turn string) PromptsState {
	if turn != s.before {
		return s
	}
	request, _ := s.Request()
	s.List = s.changeLast(func(p PromptState) bool { return p.Seq == request.Seq }, func(p *PromptState) {
		if p.Asked == "" && p.Choice == "" {
			p.Asked, p.Choice = replyContext(p.Text, cmp.Or(text.EndUnits(e.Said, maxAnswer), s.earlier))
		}
	})
	s.List = s.changeLast(func(p PromptState) bool { return !p.DuringTurn && p.Seq < request.Seq }, func(p *PromptState) { p.Stopped = true })
	return s
}

// LastAnswerState is the last text of the agent's last turn.
type LastAnswerState struct {
	Text    string `json:"text,omitempty"`
	Stopped bool   `json:"stopped,omitempty"` // the person interrupted the agent after this text
	Before  bool   `json:"before,omitempty"`  // the text is from before the newest prompt, and was recorded after that prompt
	Seq     uint64 `json:"seq,omitempty"`
	At      Stamp  `json:"at,omitempty"`
	Turn    string `json:"-"` // turn of the newest prompt
	// Finished is the last text of the newest turn that ended before a Stopped text, and FinishedSeq its event.
	Finished    string `json:"finished,omitempty"`
	FinishedSeq uint64 `json:"finished_seq,omitempty"`
}

// LastAnswer records the agent's last text at the end of its last turn.
var LastAnswer = Declare("last-answer", 3, Lane, "what the agent said last",
	On(func(s LastAnswerState, e events.PromptSubmitted, at At) LastAnswerState {
		if !e.Machine {
			s.Turn = at.Turn
		}
		return s
	}),
	On(func(s LastAnswerState, e events.TurnEnded, at At) LastAnswerState { return s.answered(e.Text, at) }),
	On(func(s LastAnswerState, e events.SubagentEnded, at At) LastAnswerState { return s.answered(e.Text, at) }),
	On(func(s LastAnswerState, e events.TurnInterrupted, at At) LastAnswerState {
		if e.Said == "" || e.Said == s.Text { // an equal text: the agent was stopped after its answer
			return s
		}
		answer := s.answered(e.Said, at)
		answer.Stopped, answer.Before = true, at.Turn != "" && at.Turn != s.Turn
		answer.Finished, answer.FinishedSeq = s.Text, s.Seq
		if s.Stopped {
			answer.Finished, answer.FinishedSeq = s.Finished, s.FinishedSeq
		}
		return answer
	}),
)

// answered records the last text of a turn that ended. A turn without a text removes the text of an interrupted turn, which is no
// longer the last turn, and keeps that of a finished turn.
func (s LastAnswerState) answered(words string, at At) LastAnswerState {
	switch {
	case words == "" && s.Stopped:
		return LastAnswerState{Turn: s.Turn}
	case words == "":
		return s
	}
	return LastAnswerState{Text: words, Seq: at.Seq, At: Stamp(at.At), Turn: s.Turn}
}

// TaskState holds the task of a subagent.
type TaskState struct {
	Text string `json:"text,omitempty"`
	Seq  uint64 `json:"seq,omitempty"`
	// Later is the newest other task that the same subagent was given, LaterSeq the event; a subagent can continue after its end.
	Later    string `json:"later,omitempty"`
	LaterSeq uint64 `json:"later_seq,omitempty"`
}

// Task records the task of a subagent's lane. The main lane has no task. Another lane of the session reports the task.
var Task = Declare("task", 2, Lane, "what the subagent was asked to do",
	OnIn(Session, func(s TaskState, e events.SubagentTasked, at At) TaskState {
		switch {
		case e.Lane == "" || e.Lane != at.Target.Lane || e.Text == s.Text:
		case s.Text == "":
			s.Text, s.Seq = e.Text, at.Seq
		default:
			s.Later, s.LaterSeq = e.Text, at.Seq
		}
		return s
	}),
)
