package events

// CompactionIntended says that the agent meant to compact its context. It is an
// intention: the compaction can be blocked, fail or come much later
// (ADR-0009).
type CompactionIntended struct {
	Trigger      string `json:"trigger,omitempty"` // manual, auto
	Instructions string `json:"instructions,omitempty"`
}

func (CompactionIntended) event() {}

var _ = declare("compaction.intended", "the agent meant to compact its context; no fact yet",
	from(func(h Hook) (CompactionIntended, bool) {
		return CompactionIntended{Trigger: h.Trigger, Instructions: h.Text}, h.Kind == CompactIntent
	}),
)
