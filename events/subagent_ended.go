package events

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
