package events

import (
	"slices"

	"journal/events/text"
)

// CompactionIntended records that the agent wanted to compact its context. The compaction can still be blocked, fail or
// come much later (ADR-0009).
type CompactionIntended struct {
	Trigger      string `json:"trigger,omitempty"` // manual, auto
	Instructions string `json:"instructions,omitempty"`
}

func (CompactionIntended) event() {}

var _ = declare[CompactionIntended]("compaction.intended", "the agent announced a compaction",
	from(CompactIntent, func(h Hook) CompactionIntended {
		return CompactionIntended{Trigger: h.Trigger, Instructions: h.Text}
	}))

// CompactionNoticed records that the agent mentioned its context or a compaction in a notification: weak evidence (S0.1).
// Without a stronger event it counts as a compaction only if the usage then falls below half, or the transcript shows one.
type CompactionNoticed struct {
	Message string `json:"message,omitempty"`
}

func (CompactionNoticed) event() {}

var _ = declare[CompactionNoticed]("compaction.mentioned", "the agent mentioned its context or a compaction: weak evidence",
	from(CompactNotice, func(h Hook) CompactionNoticed { return CompactionNoticed{Message: h.Text} }))

// ContextRestarted records that a compacted context began. It proves a compaction, and it is the time for a recovery text.
type ContextRestarted struct {
	Model string `json:"model,omitempty"`
}

func (ContextRestarted) event() {}

var _ = declare[ContextRestarted]("context.restarted", "a compacted context began: fact of a compaction",
	from(ContextRestart, func(h Hook) ContextRestarted { return ContextRestarted{Model: h.Model} }))

// SummaryDrafted lists names in the summary of a running compaction, for clients that report the summary before the
// context restarts. The summary itself comes with CompactionCompleted.
type SummaryDrafted struct {
	Names []string `json:"names,omitempty"` // the first 300 names of program symbols
}

func (SummaryDrafted) event() {}

var _ = declare[SummaryDrafted]("summary.drafted", "the names in the summary of a running compaction",
	from(CompactDraft, func(h Hook) SummaryDrafted { return SummaryDrafted{Names: text.Identifiers(h.Text, maxNames)} }))

// maxNames bounds the names of a summary.
const maxNames = 300

// CompactionCompleted records that a compaction has its summary. It proves a compaction; an agent may never report it
// (docs/CLIENTS.md §4).
type CompactionCompleted struct {
	Trigger string `json:"trigger,omitempty"` // manual, auto
	// Summary is the client's text. It may have an <analysis> part that the model never sees (ADR-0010 rule 6).
	Summary string `json:"summary,omitempty"`
}

func (CompactionCompleted) event() {}

var _ = declare[CompactionCompleted]("compaction.completed", "a compaction has its summary: fact of a compaction", lasting,
	from(CompactEnd, func(h Hook) CompactionCompleted { return CompactionCompleted{Trigger: h.Trigger, Summary: h.Text} }))

// SummaryImported is the summary of a compaction that hooks reported without one. An import, or the owner that follows
// the session, found it in the transcript. The summary may be older than the event's place in the log suggests (ADR-0011).
type SummaryImported struct {
	// Compaction is the sequence of an event that proves the compaction. It is 0 in a report; the importer or owner sets it.
	Compaction uint64 `json:"compaction"`
	Trigger    string `json:"trigger,omitempty"` // manual, auto
	Summary    string `json:"summary,omitempty"` // as in CompactionCompleted
}

func (SummaryImported) event() {}

var _ = declare[SummaryImported]("summary.imported", "the summary of a compaction that hooks reported without one",
	from(CompactSummary, func(h Hook) SummaryImported { return SummaryImported{Trigger: h.Trigger, Summary: h.Text} }))

// MomentRecorded holds the agent's last text of the running turn when a compaction began, from its transcript or its
// hook. It is recorded only when a compaction begins.
type MomentRecorded struct {
	// Said is the end of the agent's last text, redacted; empty if the agent wrote none since the prompt.
	Said string `json:"text,omitempty"`
	// Cut is set if Said is not the whole text.
	Cut bool `json:"cut,omitempty"`
	// Thought is the model's reasoning after the text, redacted and cut; empty if the client stores none.
	Thought string `json:"thought,omitempty"`
	// ThoughtCalls is the number of tool calls after Thought; 0 if unknown.
	ThoughtCalls int `json:"thought_call_count,omitempty"`
	// Result is the result of the newest ended call after the text, cut and redacted, and ResultOf names that call. Both
	// are empty if another event has the result.
	Result   string `json:"result,omitempty"`
	ResultOf string `json:"result_of,omitempty"`
	// Findings are passages of earlier texts and reasoning of the turn that state a finding, redacted, oldest first.
	Findings []string `json:"findings,omitempty"`
	// FindingCalls are the numbers of tool calls after each of Findings; empty if unknown.
	FindingCalls []int `json:"finding_call_counts,omitempty"`
	// SpokenFindings are the indexes of the Findings in words to the person; the others are reasoning, or unknown.
	SpokenFindings []int `json:"spoken_findings,omitempty"`
	// Acted is the number of findings from before the agent last wrote a file. They are the first of Findings, and may no longer
	// hold.
	Acted int `json:"acted,omitempty"`
	// EarlierFindings are texts from before the prompt that state a finding, of the newest turn that has one, redacted, oldest first.
	// They are empty if the running turn has Findings.
	EarlierFindings []string `json:"earlier_findings,omitempty"`
	// EarlierActed is Acted for EarlierFindings.
	EarlierActed int `json:"earlier_acted,omitempty"`
	// Announced has the agent's words and reasoning directly before calls that write files, redacted and cut, oldest first.
	Announced []Announcement `json:"announced,omitempty"`
	// Searches has what the newest searches in files found, redacted and cut, oldest first.
	Searches []SearchResult `json:"searches,omitempty"`
	// Calls is the number of tool calls after the text; 0 if unknown.
	Calls int `json:"call_count,omitempty"`
	// Call is an unfinished tool call, redacted: the command, or the tool and its target.
	Call string `json:"call,omitempty"`
	// Parallel lists the unfinished calls before Call, newest first: calls can run in parallel.
	Parallel []string `json:"parallel,omitempty"`
}

func (MomentRecorded) event() {}

var _ = declare[MomentRecorded]("inflight.recorded", "the agent's last words when a compaction began",
	fromSome(CompactIntent, func(h Hook) (MomentRecorded, bool) { return MomentOf(h.Said, h.SinceSaid, h.Findings...), h.Said != "" }))

// Announcement is a text of the agent directly before a tool call.
type Announcement struct {
	Use  string `json:"use"`  // id of the call
	Text string `json:"text"` // the last sentences
}

// SearchResult is the result of a search in files.
type SearchResult struct {
	Call  string `json:"call"`            // the call on one line; the beginning of a long one with "…"
	Lines int    `json:"line_count"`      // number of lines of the result that are not empty
	First string `json:"first"`           // the first of these lines, without the path of a line that follows a match in the same file
	Acted bool   `json:"acted,omitempty"` // the agent wrote a file after the search
}

// Bounds in UTF-16 units.
const (
	momentUnits     = 2000 // the agent's last text, of which the end is kept: it has the next step
	findingUnits    = 2000 // one finding, or reasoning
	concludingUnits = 1200 // the end of a finding that is cut: it has the conclusion
)

// MomentOf returns the event for the agent's last text, the number of tool calls after it, and the findings before it. The
// texts must be redacted.
func MomentOf(words string, calls int, findings ...string) MomentRecorded {
	findings = slices.Clone(findings)
	for i := range findings {
		findings[i] = CutFinding(findings[i])
	}
	return MomentRecorded{Findings: findings, Said: text.EndUnits(words, momentUnits), Cut: text.Units(words) > momentUnits, Calls: calls}
}

// CutFinding returns the beginning and the end of a finding, or of reasoning, that is too long for a MomentRecorded, else all of it.
func CutFinding(found string) string {
	if text.Units(found) <= findingUnits {
		return found
	}
	return text.CutUnits(found, findingUnits-concludingUnits-1) + "\n" + text.EndUnits(found, concludingUnits)
}

// RecoveryGiven claims and records the recovery text of one compaction. It is appended before the text is printed,
// under an id that every requester derives identically: of two requesters, one gets the text (ADR-0006).
type RecoveryGiven struct {
	Compaction int      `json:"compaction"`       // number of the compaction within its lane, from 1
	AsOf       uint64   `json:"as_of"`            // the text was derived from the log up to here
	Lang       string   `json:"lang"`             // en, ko, ja
	Units      int      `json:"units"`            // length of the text in UTF-16 code units
	Digest     string   `json:"digest"`           // sha256 of the text, hex
	Items      []string `json:"items,omitempty"`  // ids of the items in the text, whole or in part: kind-seq, or kind-seq.part
	Resume     bool     `json:"resume,omitempty"` // repeated for a client that lost it on resume (ADR-0019 rule 5)

	// Partial lists the items of which the text has only a part.
	Partial []PartialItem `json:"partial,omitempty"`
}

// PartialItem is an item that a text has only in part.
type PartialItem struct {
	Item    string `json:"item"`    // as in Items
	Percent int    `json:"percent"` // the part of the item that the text has, 0 to 99
}

func (RecoveryGiven) event() {}

var _ = declare[RecoveryGiven]("recovery.sent", "the recovery text of a compaction was offered", reserved)

// DeliveryConfirmed records what an agent's transcript proves about its context after a compaction: the recovery text
// that arrived, and what the client kept by itself (ADR-0010). RecoveryGiven proves only that the text was printed.
type DeliveryConfirmed struct {
	// Compaction is the number of the compaction within its lane, from 1. 0 means the compaction of Recovery; if Recovery is 0
	// too, the newest compaction before this event.
	Compaction int `json:"compaction,omitempty"`

	Recovery uint64 `json:"recovery,omitempty"` // sequence of the recovery.sent, 0 if no text was found
	Digest   string `json:"digest,omitempty"`   // sha256 of the text that arrived, hex, as in recovery.sent
	Whole    bool   `json:"complete,omitempty"` // the whole text arrived; otherwise the client put it into a file and showed a preview
	// Preview is the length of the preview that the client showed instead of the whole text, in UTF-16 code units.
	Preview int `json:"preview,omitempty"`
	// Kept lists the sequences of the prompt.submitted, command.ran, file.read and file.written events whose messages
	// or files the client itself carried over into the new context.
	Kept []uint64 `json:"kept,omitempty"`
}

func (DeliveryConfirmed) event() {}

var _ = declare[DeliveryConfirmed]("delivery.confirmed", "the agent's transcript shows what its context holds after a compaction", reserved)

// NoticeGiven claims and records any text but a recovery text, for the agent, the person or the summariser of a
// compaction. Like RecoveryGiven it is appended before the text is printed, under an id that every requester derives
// identically (ADR-0006).
type NoticeGiven struct {
	Kind   string `json:"kind"`            // pressure, cleared, stop, start, guidance, restore
	Level  string `json:"level,omitempty"` // of a pressure notice: info, urgent
	To     string `json:"to"`              // model, person, summariser
	AsOf   uint64 `json:"as_of"`           // the text was derived from the log up to here
	About  uint64 `json:"about,omitempty"` // newest event that the text is about, so that it is printed once
	Lang   string `json:"lang"`
	Units  int    `json:"units"`  // length in UTF-16 code units
	Digest string `json:"digest"` // sha256 of the text, hex
}

func (NoticeGiven) event() {}

var _ = declare[NoticeGiven]("notice.sent", "a text for the agent, the person or the summariser", reserved)

// RestoreRequested records that a person wants to restore for the agent items that a compaction removed. The owner adds
// Text to the lane's next prompt, and records that as a notice.
type RestoreRequested struct {
	Items []string `json:"items,omitempty"` // kind-seq[.n], as an audit names them
	Text  string   `json:"text"`            // markdown
}

func (RestoreRequested) event() {}

var _ = declare[RestoreRequested]("restore.requested", "a person asked to restore something for the agent", irreversible, appendable, requires("text"))
