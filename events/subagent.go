package events

// SubagentStarted says that a subagent began in the lane of the envelope.
type SubagentStarted struct {
	AgentType string `json:"agent_type,omitempty"`
}

func (SubagentStarted) event() {}

var _ = declare("subagent.started", "a subagent began",
	from(func(h Hook) (SubagentStarted, bool) {
		return SubagentStarted{AgentType: h.AgentType}, h.Kind == SubagentStart
	}),
)

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

// SubagentEnded says that a subagent gave its answer. The summariser of a compaction, which reports itself as a
// subagent without a type, does not count as one.
type SubagentEnded struct {
	AgentType string `json:"agent_type"`
	Text      string `json:"text,omitempty"`
}

func (SubagentEnded) event() {}

var _ = declare("subagent.ended", "a subagent gave its answer",
	from(func(h Hook) (SubagentEnded, bool) {
		return SubagentEnded{AgentType: h.AgentType, Text: h.Text}, h.Kind == SubagentEnd
	}),
)
