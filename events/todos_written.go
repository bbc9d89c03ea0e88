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

var _ = declare("todos.written", "the agent replaced its todo list",
	appendable[TodosWritten](),
	from(func(h Hook) (TodosWritten, bool) {
		if h.Kind != ToolEnd || h.Tool.Action != WriteTodos || h.Tool.Failed {
			return TodosWritten{}, false
		}
		return TodosWritten{Todos: h.Tool.Todos}, true
	}),
)
