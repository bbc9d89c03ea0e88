package events

// SessionEnded says that a session ended. Many sessions end without one: it is
// optional evidence (docs/CLIENTS.md §4).
type SessionEnded struct {
	Reason string `json:"reason,omitempty"` // clear, resume, logout, prompt_input_exit, other
}

func (SessionEnded) event() {}

var _ = declare("session.ended", "a session ended",
	from(func(h Hook) (SessionEnded, bool) {
		return SessionEnded{Reason: h.Reason}, h.Kind == SessionEnd
	}),
)
