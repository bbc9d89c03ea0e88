package events

import "journal/events/text"

// CompactionIntended says that the agent meant to compact its context. It is an
// intention: the compaction can be blocked, fail or come much later
// (ADR-0009).
type CompactionIntended struct {
	Trigger      string `json:"trigger,omitempty"` // manual, auto
	Instructions string `json:"instructions,omitempty"`
}

func (CompactionIntended) event() {}

var _ = declare[CompactionIntended]("compaction.intended", "the agent meant to compact its context; no fact yet",
	from(CompactIntent, func(h Hook) CompactionIntended {
		return CompactionIntended{Trigger: h.Trigger, Instructions: h.Text}
	}))

// CompactionNoticed says that the agent told of its context or of a compaction in passing, in a
// notification. It is weak evidence (S0.1). Without a stronger event it counts as a compaction
// only when the usage falls, or the transcript shows one.
type CompactionNoticed struct {
	Message string `json:"message,omitempty"`
}

func (CompactionNoticed) event() {}

var _ = declare[CompactionNoticed]("compaction.noticed", "the agent spoke of its context or of a compaction: weak evidence",
	from(CompactNotice, func(h Hook) CompactionNoticed { return CompactionNoticed{Message: h.Text} }))

// ContextRestarted says that a compacted context began. It is a fact of a
// compaction, and the moment at which recovery text can be given.
type ContextRestarted struct {
	Model string `json:"model,omitempty"`
}

func (ContextRestarted) event() {}

var _ = declare[ContextRestarted]("context.restarted", "a compacted context began: fact of a compaction",
	from(ContextRestart, func(h Hook) ContextRestarted { return ContextRestarted{Model: h.Model} }))

// SummaryDrafted tells what the summary of a compaction names that goes on, where the agent shows it before the context
// begins anew. The summary itself comes with CompactionCompleted.
type SummaryDrafted struct {
	Names []string `json:"names,omitempty"` // as they stand in a program or a path, the first ones
}

func (SummaryDrafted) event() {}

var _ = declare[SummaryDrafted]("summary.drafted", "what the summary of a compaction names that goes on",
	from(CompactDraft, func(h Hook) SummaryDrafted { return SummaryDrafted{Names: text.Names(h.Text, maxNames)} }))

// maxNames bounds the names that are kept of a summary.
const maxNames = 300

// CompactionCompleted says that a compaction has its summary. It is a fact of a
// compaction; the agent may never report it (docs/CLIENTS.md §4).
type CompactionCompleted struct {
	Trigger string `json:"trigger,omitempty"` // manual, auto
	// Summary is as the client gave it. It may hold an <analysis> part that the
	// model never sees (ADR-0010 rule 6).
	Summary string `json:"summary,omitempty"`
}

func (CompactionCompleted) event() {}

var _ = declare[CompactionCompleted]("compaction.completed", "a compaction has its summary: fact of a compaction", lasting,
	from(CompactEnd, func(h Hook) CompactionCompleted { return CompactionCompleted{Trigger: h.Trigger, Summary: h.Text} }))

// SummaryImported is the summary of a compaction that hooks told without one. An import, or the
// owner that follows the session, found it in the transcript. Its place in the log says nothing
// about when it was written (ADR-0011).
type SummaryImported struct {
	// Compaction is the place in the log of a fact of the compaction. A hook's words do not
	// tell it: who knows the log fills it in.
	Compaction uint64 `json:"compaction"`
	Trigger    string `json:"trigger,omitempty"` // manual, auto
	Summary    string `json:"summary,omitempty"` // as that of CompactionCompleted
}

func (SummaryImported) event() {}

var _ = declare[SummaryImported]("summary.imported", "the summary of a compaction that hooks told without one",
	from(CompactSummary, func(h Hook) SummaryImported { return SummaryImported{Trigger: h.Trigger, Summary: h.Text} }))

// MomentRecorded says where the agent was when a compaction began: its last words since the newest prompt, as its own
// transcript or its hook has them. It is recorded at compactions only.
type MomentRecorded struct {
	// Said are the words, redacted; empty when the agent had said nothing since the prompt.
	Said string `json:"said,omitempty"`
	// Cut says that Said is not all of them.
	Cut bool `json:"cut,omitempty"`
}

func (MomentRecorded) event() {}

var _ = declare[MomentRecorded]("moment.recorded", "what the agent had said last when a compaction began",
	fromSome(CompactIntent, func(h Hook) (MomentRecorded, bool) { return MomentOf(h.Said), h.Said != "" }))

// momentUnits bounds the words, in UTF-16 units. Their end is kept: there they say what comes next.
const momentUnits = 2000

// MomentOf makes the event of redacted words.
func MomentOf(said string) MomentRecorded {
	return MomentRecorded{Said: text.EndUnits(said, momentUnits), Cut: text.Units(said) > momentUnits}
}
