package events

// CompactionCompleted says that a compaction has its summary. It is a fact of a
// compaction; the agent may never report it (docs/CLIENTS.md §4).
type CompactionCompleted struct {
	Trigger string `json:"trigger,omitempty"` // manual, auto
	// Summary is as the client gave it. It may hold an <analysis> part that the
	// model never sees (ADR-0010 rule 6).
	Summary string `json:"summary,omitempty"`
}

func (CompactionCompleted) event() {}

var _ = declare("compaction.completed", "a compaction has its summary: fact of a compaction",
	lasting[CompactionCompleted](),
	from(func(h Hook) (CompactionCompleted, bool) {
		return CompactionCompleted{Trigger: h.Trigger, Summary: h.Text}, h.Kind == CompactEnd
	}),
)
