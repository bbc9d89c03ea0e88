package events

// ContextCleared records that a part of the context went without a compaction: the client dropped old results of tools.
type ContextCleared struct {
	Before int64 `json:"pre_tokens,omitempty"` // size of the context before, 0 for unknown
	Freed  int64 `json:"freed_tokens"`         // how much went
	// Uses lists the tool calls whose results went. It is empty if only a fall of the usage shows that something went.
	Uses []string `json:"uses,omitempty"`
}

func (ContextCleared) event() {}

var _ = declare[ContextCleared]("context.cleared", "a part of the context went without a compaction",
	fromEach(func(h Hook) []ContextCleared {
		if h.Cleared == nil {
			return nil
		}
		return []ContextCleared{*h.Cleared}
	}))
