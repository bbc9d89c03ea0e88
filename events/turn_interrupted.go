package events

// TurnInterrupted says that the person stopped the agent before it had answered. No
// hook tells it; the agent's transcript does.
type TurnInterrupted struct {
	Tool bool `json:"tool,omitempty"` // while a tool ran, or instead of allowing one
}

func (TurnInterrupted) event() {}

var _ = declare("turn.interrupted", "the person stopped the agent before it had answered",
	from(func(h Hook) (TurnInterrupted, bool) {
		return TurnInterrupted{Tool: h.Reason == "tool"}, h.Kind == TurnInterrupt
	}),
)
