package events

// CompactionNoticed says that the agent told of its context or of a compaction in
// passing, in a notification. It is weak evidence: a compaction where nothing stronger
// tells of one only when a fall of the usage, or the transcript, shows it (S0.1).
type CompactionNoticed struct {
	Message string `json:"message,omitempty"`
}

func (CompactionNoticed) event() {}

var _ = declare("compaction.noticed", "the agent spoke of its context or of a compaction: weak evidence",
	from(func(h Hook) (CompactionNoticed, bool) {
		return CompactionNoticed{Message: h.Text}, h.Kind == CompactNotice
	}),
)
