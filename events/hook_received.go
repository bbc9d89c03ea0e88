package events

// HookReceived is a hook without a meaning of its own yet, or one that could not
// be read to its end. What it said is in the envelope's More.
type HookReceived struct {
	Hook      string `json:"hook,omitempty"` // the agent's own name of it
	Kind      string `json:"kind,omitempty"`
	AgentType string `json:"agent_type,omitempty"`
	Broken    string `json:"broken,omitempty"` // why it could not be read to its end
}

func (HookReceived) event() {}

var _ = declare[HookReceived]("hook.received", "a hook without a meaning of its own yet, kept as received")
