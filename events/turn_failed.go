package events

// TurnFailed says that the model could not answer.
type TurnFailed struct {
	Error   string `json:"error"` // kind: rate_limit, server_error, max_output_tokens …
	Details string `json:"details,omitempty"`
}

func (TurnFailed) event() {}

var _ = declare("turn.failed", "the model could not answer",
	from(func(h Hook) (TurnFailed, bool) {
		return TurnFailed{Error: h.Reason, Details: h.Text}, h.Kind == TurnFail
	}),
)
