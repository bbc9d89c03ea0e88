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
