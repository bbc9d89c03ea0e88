package events

import "cmp"

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

var _ = declare("todos.written", "the agent replaced its todo list",
	appendable[TodosWritten](),
	from(func(h Hook) (TodosWritten, bool) {
		if h.Kind != ToolEnd || h.Tool.Action != WriteTodos || h.Tool.Failed {
			return TodosWritten{}, false
		}
		return TodosWritten{Todos: h.Tool.Todos}, true
	}),
)

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

var _ = declare("task.changed", "an entry of the agent's task list is new or changed",
	appendable[TaskChanged](),
	fromEach(func(h Hook) []TaskChanged {
		if h.Tool != nil && h.Tool.Failed {
			return nil
		}
		var all []TaskChanged
		for _, t := range h.Tasks {
			all = append(all, TaskChanged{Task: t.ID, Subject: t.Subject, Detail: t.Detail, Status: t.Status})
		}
		return all
	}),
)

// PlanApproved says that the person approved a plan of the agent. A plan that was
// refused is none.
type PlanApproved struct {
	Text string `json:"text"`           // the whole plan, never cut
	File string `json:"file,omitempty"` // where the client keeps it
	Use  string `json:"use,omitempty"`
}

func (PlanApproved) event() {}

var _ = declare("plan.approved", "the person approved a plan",
	lasting[PlanApproved](),
	from(func(h Hook) (PlanApproved, bool) {
		if h.Kind != ToolEnd || h.Tool.Action != OfferPlan || h.Tool.Failed || cmp.Or(h.Tool.Plan, h.Tool.File) == "" {
			return PlanApproved{}, false
		}
		return PlanApproved{Text: h.Tool.Plan, File: h.Tool.File, Use: h.Tool.Use}, true
	}),
)
