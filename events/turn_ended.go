package events

// TurnEnded says that the model finished an answer.
type TurnEnded struct {
	Text string `json:"text,omitempty"` // its last message, where the client tells it
}

func (TurnEnded) event() {}

var _ = declare("turn.ended", "the model finished an answer",
	from(func(h Hook) (TurnEnded, bool) {
		return TurnEnded{Text: h.Text}, h.Kind == TurnEnd
	}),
)
