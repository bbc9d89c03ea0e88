package events

// ContextRestarted says that a compacted context began. It is a fact of a
// compaction, and the moment at which recovery text can be given.
type ContextRestarted struct {
	Model string `json:"model,omitempty"`
}

func (ContextRestarted) event() {}

var _ = declare("context.restarted", "a compacted context began: fact of a compaction",
	from(func(h Hook) (ContextRestarted, bool) {
		return ContextRestarted{Model: h.Model}, h.Kind == ContextRestart
	}),
)
