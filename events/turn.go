package events

// PromptSubmitted says that a prompt went to the model.
type PromptSubmitted struct {
	Text string `json:"text"`
	// Machine marks prompts that no person typed, such as the notice that a background task has finished. No person
	// asked for what they say.
	Machine bool `json:"machine,omitempty"`
	// Within marks what a person said while a turn ran: typed meanwhile, or with the approval of a call. It adds to the
	// request of the turn and does not take its place.
	Within bool `json:"within,omitempty"`
}

func (PromptSubmitted) event() {}

var _ = declare[PromptSubmitted]("prompt.submitted", "a prompt went to the model",
	from(PromptSubmit, func(h Hook) PromptSubmitted {
		return PromptSubmitted{Text: h.Text, Machine: h.Machine, Within: h.Within}
	}))

// TurnEnded says that the model finished an answer.
type TurnEnded struct {
	Text string `json:"text,omitempty"` // its last message, where the client tells it
}

func (TurnEnded) event() {}

var _ = declare[TurnEnded]("turn.ended", "the model finished an answer",
	from(TurnEnd, func(h Hook) TurnEnded { return TurnEnded{Text: h.Text} }))

// TurnFailed says that the model could not answer.
type TurnFailed struct {
	Error   string `json:"error"` // kind: rate_limit, server_error, max_output_tokens …
	Details string `json:"details,omitempty"`
}

func (TurnFailed) event() {}

var _ = declare[TurnFailed]("turn.failed", "the model could not answer",
	from(TurnFail, func(h Hook) TurnFailed { return TurnFailed{Error: h.Reason, Details: h.Text} }))

// TurnInterrupted says that the person stopped the agent before it had answered. No
// hook tells it; the agent's transcript does.
type TurnInterrupted struct {
	Tool bool `json:"tool,omitempty"` // while a tool ran, or instead of allowing one
}

func (TurnInterrupted) event() {}

var _ = declare[TurnInterrupted]("turn.interrupted", "the person stopped the agent before it had answered",
	from(TurnInterrupt, func(h Hook) TurnInterrupted { return TurnInterrupted{Tool: h.Reason == "tool"} }))

// QuestionAnswered says what the person chose or wrote when the agent asked. It is
// a decision: nobody can know it better.
type QuestionAnswered struct {
	Question string `json:"question"`
	Answer   string `json:"answer"`
	Use      string `json:"use,omitempty"`
}

func (QuestionAnswered) event() {}

var _ = declare[QuestionAnswered]("question.answered", "the person answered a question of the agent", lasting,
	fromCall(func(_ Hook, t *ToolCall) (all []QuestionAnswered) {
		for _, a := range t.Answers {
			all = append(all, QuestionAnswered{Question: a.Question, Answer: a.Answer, Use: t.Use})
		}
		return all
	}, AskPerson))
