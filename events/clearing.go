package events

// ContextCleared records that the client dropped old results of tools from the context, without a compaction.
type ContextCleared struct {
	Before int64 `json:"pre_tokens,omitempty"` // size of the context before, 0 for unknown
	Freed  int64 `json:"freed_tokens"`         // number of tokens dropped
	// Uses lists the tool calls whose results were dropped. It is empty if only a fall of the usage shows the drop.
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
