package events

// SummaryImported says which summary a compaction had of which hooks told the rest: an import
// found it in the transcript, too late to stand beside the other facts (ADR-0011).
type SummaryImported struct {
	// Compaction is the place in the log of a fact of the compaction.
	Compaction uint64 `json:"compaction"`
	Trigger    string `json:"trigger,omitempty"` // manual, auto
	Summary    string `json:"summary,omitempty"` // as that of CompactionCompleted
}

func (SummaryImported) event() {}

var _ = declare[SummaryImported]("summary.imported", "the summary of a compaction that hooks told without one")
