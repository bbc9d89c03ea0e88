package events

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
