package events

import "journal/events/text"

// PromptSubmitted records that a prompt went to the model.
type PromptSubmitted struct {
	Text string `json:"text"`
	// Machine is set if no person typed the prompt, as in the notice that a background task has finished.
	Machine bool `json:"machine,omitempty"`
	// DuringTurn is set if the prompt came while a turn ran: typed during the turn, or as a remark with an approved call. It adds
	// to the request of the turn and does not replace it.
	DuringTurn bool `json:"within,omitempty"`
}

func (PromptSubmitted) event() {}

var _ = declare[PromptSubmitted]("prompt.submitted", "a prompt went to the model",
	from(PromptSubmit, func(h Hook) PromptSubmitted {
		return PromptSubmitted{Text: h.Text, Machine: h.Machine, DuringTurn: h.DuringTurn}
	}))

// TurnEnded records that the model finished an answer.
type TurnEnded struct {
	Text string `json:"text,omitempty"` // the last message of the turn, if the client reports it
}

func (TurnEnded) event() {}

var _ = declare[TurnEnded]("turn.ended", "the model finished an answer",
	from(TurnEnd, func(h Hook) TurnEnded { return TurnEnded{Text: h.Text} }))

// TurnFailed records that the model could not answer.
type TurnFailed struct {
	Error   string `json:"error"` // kind: rate_limit, server_error, max_output_tokens …
	Details string `json:"details,omitempty"`
}

func (TurnFailed) event() {}

var _ = declare[TurnFailed]("turn.failed", "the model could not answer",
	from(TurnFail, func(h Hook) TurnFailed { return TurnFailed{Error: h.Reason, Details: h.Text} }))

// TurnInterrupted records that the person stopped the agent before it had answered. Some clients report it only in their
// transcript.
type TurnInterrupted struct {
	Tool bool `json:"tool,omitempty"` // a tool ran, or waited for the person's approval
	// Said is the end of the agent's last text in the turn, redacted; empty if there is none or it is unknown.
	Said string `json:"text,omitempty"`
}

func (TurnInterrupted) event() {}

var _ = declare[TurnInterrupted]("turn.interrupted", "the person stopped the agent before it had answered",
	from(TurnInterrupt, func(h Hook) TurnInterrupted {
		return TurnInterrupted{Tool: h.Reason == "tool", Said: text.EndUnits(h.Said, momentUnits)}
	}))

// QuestionAnswered is the person's answer to a question of the agent. It counts as a decision.
type QuestionAnswered struct {
	Question string `json:"question"`
	Answer   string `json:"answer"`
	Use      string `json:"use,omitempty"` // id of the tool call
}

func (QuestionAnswered) event() {}

var _ = declare[QuestionAnswered]("question.answered", "the person answered a question of the agent", lasting,
	fromCall(func(_ Hook, t *ToolCall) (all []QuestionAnswered) {
		for _, a := range t.Answers {
			all = append(all, QuestionAnswered{Question: a.Question, Answer: a.Answer, Use: t.Use})
		}
		return all
	}, AskPerson))

// TodosWritten records that the agent replaced its todo list.
type TodosWritten struct {
	Todos []Todo `json:"todos"`
}

// Todo is one item of a todo list.
type Todo struct {
	Text   string `json:"text"`
	Status string `json:"status"` // pending, in_progress, completed
}

func (TodosWritten) event() {}

var _ = declare[TodosWritten]("todos.written", "the agent replaced its todo list", appendable,
	fromCall(func(_ Hook, t *ToolCall) []TodosWritten { return []TodosWritten{{Todos: t.Todos}} }, WriteTodos))

// TaskChanged records that one entry of the agent's task list is new or changed. Empty fields are unchanged. Both the tool
// call and the client's own task hook report it; folding it twice has no further effect.
type TaskChanged struct {
	Task    string `json:"task"` // the agent's id of the task
	Subject string `json:"subject,omitempty"`
	Detail  string `json:"detail,omitempty"`
	Status  string `json:"status,omitempty"` // pending, in_progress, completed, deleted
	Owner   string `json:"owner,omitempty"`  // the name of the teammate that has the task
}

func (TaskChanged) event() {}

var _ = declare[TaskChanged]("task.changed", "an entry of the agent's task list is new or changed", appendable,
	fromEach(func(h Hook) (all []TaskChanged) {
		if h.Tool != nil && h.Tool.Failed {
			return nil
		}
		for _, t := range h.Tasks {
			all = append(all, TaskChanged{Task: t.ID, Subject: t.Subject, Detail: t.Detail, Status: t.Status, Owner: t.Owner})
		}
		return all
	}))

// PlanApproved records that the person approved a plan of the agent.
type PlanApproved struct {
	Text string `json:"text"`           // the whole plan, never cut; empty if only File is known
	File string `json:"file,omitempty"` // path at which the client stores it
	Use  string `json:"use,omitempty"`
}

func (PlanApproved) event() {}

var _ = declare[PlanApproved]("plan.approved", "the person approved a plan", lasting,
	fromCall(func(_ Hook, t *ToolCall) []PlanApproved {
		if t.Plan == "" && t.File == "" {
			return nil
		}
		return []PlanApproved{{Text: t.Plan, File: t.File, Use: t.Use}}
	}, OfferPlan))
