package events

// SubagentStarted says that a subagent began in the lane of the envelope.
type SubagentStarted struct {
	AgentType string `json:"agent_type,omitempty"`
}

func (SubagentStarted) event() {}

var _ = declare[SubagentStarted]("subagent.started", "a subagent began",
	from(SubagentStart, func(h Hook) SubagentStarted { return SubagentStarted{AgentType: h.AgentType} }))

// SubagentTasked says what a subagent was asked to do. The main thread tells it, of
// a lane that is not its own.
type SubagentTasked struct {
	Lane string `json:"lane"` // the subagent's id
	Text string `json:"text"`
	Use  string `json:"use,omitempty"`
}

func (SubagentTasked) event() {}

var _ = declare[SubagentTasked]("subagent.tasked", "a subagent was given its task",
	fromSome(ToolEnd, func(h Hook) (SubagentTasked, bool) {
		t := h.Tool
		return SubagentTasked{Lane: t.Lane, Text: t.Task, Use: t.Use}, t.Action == RunAgent && t.Lane != "" && t.Task != ""
	}))

// SubagentEnded says that a subagent gave its answer. The summariser of a compaction, which reports itself as a
// subagent without a type, does not count as one.
type SubagentEnded struct {
	AgentType string `json:"agent_type"`
	Text      string `json:"text,omitempty"`
}

func (SubagentEnded) event() {}

var _ = declare[SubagentEnded]("subagent.ended", "a subagent gave its answer",
	from(SubagentEnd, func(h Hook) SubagentEnded { return SubagentEnded{AgentType: h.AgentType, Text: h.Text} }))
