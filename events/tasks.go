package events

// TodosWritten says that the agent replaced its todo list.
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

// TaskChanged says that one entry of the agent's task list is new or changed.
// Empty fields are unchanged. Both the tool call and the client's own task hook
// report it; folding it twice is folding it once.
type TaskChanged struct {
	Task    string `json:"task"` // the agent's id of it
	Subject string `json:"subject,omitempty"`
	Detail  string `json:"detail,omitempty"`
	Status  string `json:"status,omitempty"` // pending, in_progress, completed, deleted
}

func (TaskChanged) event() {}

var _ = declare[TaskChanged]("task.changed", "an entry of the agent's task list is new or changed", appendable,
	fromEach(func(h Hook) (all []TaskChanged) {
		if h.Tool != nil && h.Tool.Failed {
			return nil
		}
		for _, t := range h.Tasks {
			all = append(all, TaskChanged{Task: t.ID, Subject: t.Subject, Detail: t.Detail, Status: t.Status})
		}
		return all
	}))

// PlanApproved says that the person approved a plan of the agent. A plan that was
// refused is none.
type PlanApproved struct {
	Text string `json:"text"`           // the whole plan, never cut
	File string `json:"file,omitempty"` // where the client keeps it
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
