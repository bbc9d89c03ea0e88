package events

// SubagentTasked says what a subagent was asked to do. The main thread tells it, of
// a lane that is not its own.
type SubagentTasked struct {
	Lane string `json:"lane"` // the subagent's id
	Text string `json:"text"`
	Use  string `json:"use,omitempty"`
}

func (SubagentTasked) event() {}

var _ = declare("subagent.tasked", "a subagent was given its task",
	from(func(h Hook) (SubagentTasked, bool) {
		if h.Kind != ToolEnd || h.Tool.Action != RunAgent || h.Tool.Lane == "" || h.Tool.Task == "" {
			return SubagentTasked{}, false
		}
		return SubagentTasked{Lane: h.Tool.Lane, Text: h.Tool.Task, Use: h.Tool.Use}, true
	}),
)
