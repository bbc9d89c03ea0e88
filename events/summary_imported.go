package events

// SummaryImported says which summary a compaction had of which hooks told the rest: an import,
// or the owner that follows the session, found it in the transcript, which is no place beside
// the other facts (ADR-0011).
type SummaryImported struct {
	// Compaction is the place in the log of a fact of the compaction. A hook's words do not
	// tell it: who knows the log fills it in.
	Compaction uint64 `json:"compaction"`
	Trigger    string `json:"trigger,omitempty"` // manual, auto
	Summary    string `json:"summary,omitempty"` // as that of CompactionCompleted
}

func (SummaryImported) event() {}

var _ = declare("summary.imported", "the summary of a compaction that hooks told without one",
	from(func(h Hook) (SummaryImported, bool) {
		return SummaryImported{Trigger: h.Trigger, Summary: h.Text}, h.Kind == CompactSummary
	}),
)
