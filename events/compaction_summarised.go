package events

// CompactionSummarised tells the summary of a compaction whose hooks told none and the
// agent's transcript does. It is no fact of a compaction: it completes one, and may stand
// anywhere after it.
type CompactionSummarised struct {
	Fact    uint64 `json:"fact"` // sequence of the compaction.completed without a summary
	Summary string `json:"summary"`
}

func (CompactionSummarised) event() {}

var _ = declare("compaction.summarised", "the summary of a compaction whose hooks told none",
	from(func(h Hook) (CompactionSummarised, bool) {
		return CompactionSummarised{Summary: h.Text}, h.Kind == CompactSummary
	}),
)
