package events

// CompactionCompleted says that a compaction has its summary. It is a fact of a
// compaction; the agent may never report it (CLIENTS part 1 section 3).
type CompactionCompleted struct {
	Trigger string `json:"trigger,omitempty"` // manual, auto
	// Summary is as the client gave it. It may hold an <analysis> part that the
	// model never sees (DECISIONS 2.7).
	Summary string `json:"summary,omitempty"`
}

func (CompactionCompleted) event() {}

var _ = declare("compaction.completed", "a compaction has its summary: fact of a compaction",
	from(func(h Hook) (CompactionCompleted, bool) {
		return CompactionCompleted{Trigger: h.Trigger, Summary: h.Text}, h.Kind == CompactEnd
	}),
)
