package audit

import (
	"slices"
	"sync"

	"journal/events"
	"journal/projections"
	"journal/replay/audit/match"
	"journal/replay/knowledge"
)

// Report is the audit of one session. Its JSON form is that of `journal audit --json`.
type Report struct {
	Session     string       `json:"session"`
	Compactions []Compaction `json:"compactions"`       // of every audited lane, in the order of the log
	Totals      Totals       `json:"totals"`            // of the items of Newest
	Cleared     []Cleared    `json:"cleared,omitempty"` // in the order of the log
}

// Cleared is a part of a lane's context that the client dropped without a compaction, as in events.ContextCleared.
type Cleared struct {
	Seq     uint64            `json:"seq"`
	At      projections.Stamp `json:"at"`
	Lane    string            `json:"lane,omitempty"`
	Before  int64             `json:"pre_tokens,omitempty"`
	Freed   int64             `json:"freed_tokens"`
	Results int               `json:"results,omitempty"` // number of dropped results of tools
}

// Compaction is one compaction of one lane.
type Compaction struct {
	Ordinal    int               `json:"ordinal"`        // within its lane, from 1
	Lane       string            `json:"lane,omitempty"` // subagent id; empty is the main lane
	Seq        uint64            `json:"seq"`            // first fact of the compaction
	At         projections.Stamp `json:"at"`
	Trigger    string            `json:"trigger"` // manual, auto; empty if unknown
	Agent      string            `json:"agent,omitempty"`
	Client     string            `json:"client,omitempty"` // version of the agent; empty if unknown
	HasSummary bool              `json:"has_summary"`
	SummarySeq uint64            `json:"summary_seq,omitempty"` // the event with the summary, 0 for none
	Totals     Totals            `json:"totals"`
	Others     int               `json:"others"`            // number of other known things, which an audit does not look for
	Settled    int               `json:"settled,omitempty"` // number of items that News left out
	Items      []Item            `json:"items"`             // by kind in the order of knowledge.Audited, within a kind by knowledge.CompareInReport

	past []Item // items of earlier compactions that were still known, but no longer worth keeping
}

// Item is one thing worth keeping that was known before the compaction.
type Item struct {
	ID     string         `json:"id"` // kind-seq[.n], as in recovery texts (ADR-0012 rule 3)
	Kind   knowledge.Kind `json:"kind"`
	Text   string         `json:"text"`
	Detail string         `json:"detail,omitempty"` // as knowledge.Item.Reported returns it, such as the status of a todo
	Seq    uint64         `json:"seq"`              // the event that recorded it
	Weak   bool           `json:"weak,omitempty"`   // of a decision: found in an answer of the model (ADR-0028)
	Worth  int            `json:"worth"`            // rank from 1, which is worth most (docs/AUDIT.md)

	Status   Status   `json:"status"`
	Evidence Evidence `json:"evidence"`

	def    *knowledge.Def
	source *knowledge.Item // set until the status is decided
}

// Status is the fate of an item after a compaction.
type Status string

// The statuses. An item has the first status for which there is evidence. First come statuses that last, then those of items that
// the model surely sees, then those of items that it would have to look for (ADR-0010 rule 2).
const (
	Promoted  Status = "promoted"           // the learnings have it, or a compound named it
	InSummary Status = "told"               // the summary has it
	Kept      Status = "kept_by_the_client" // the client kept the message, or loads the file that has it
	Restored  Status = "restored"           // the client's transcript shows that the recovery text with it arrived
	Offered   Status = "offered"            // the recovery text had it, and nothing proves that it arrived
	InFile    Status = "in_a_file"          // the newest observation of a file has it
	Reviewed  Status = "reviewed"           // a working note: a compound ran after it, and nothing shows that the note was promoted
	Unclear   Status = "unclear"            // the summary or the recovery text has a part of it, or there is no summary
	Lost      Status = "lost"               // none of these
)

// Statuses lists every status, in the order above.
func Statuses() []Status {
	return []Status{Promoted, InSummary, Kept, Restored, Offered, InFile, Reviewed, Unclear, Lost}
}

// Evidence is the reason for an item's status.
type Evidence struct {
	// Seq is the event that proves the status: the compound, the summary, the recovery.sent, the file.observed, or the message
	// that the client kept; 0 for none.
	Seq uint64 `json:"seq,omitempty"`
	// Receipt is the delivery.confirmed of an item that was restored or kept by the client, 0 for none.
	Receipt uint64 `json:"receipt,omitempty"`
	// Path is the observed file that has the item.
	Path string `json:"path,omitempty"`
	// By is "rule" or "judge", the comparer, if the status depends on a comparison with the summary, else empty.
	By string `json:"by,omitempty"`
	// Judge is the program of the judge that decided, and Judged the audit.judged event.
	Judge  string `json:"judge,omitempty"`
	Judged uint64 `json:"judged,omitempty"`
	// Match is the passage of the summary or the learnings that has the item, or the largest part of it; nil for none.
	Match *match.Match `json:"match,omitempty"`
	// Why explains the status in one sentence.
	Why string `json:"why"`
}

// facts are the types of events that prove a compaction, and that of weak evidence, which another event can confirm (ADR-0009).
var facts = []events.Type{
	events.TypeOf[events.ContextRestarted](),
	events.TypeOf[events.CompactionCompleted](),
	events.TypeOf[events.CompactionNoticed](),
}

// IsFact reports whether events of a type prove a compaction, or are weak evidence of one. A session without one has nothing to audit.
func IsFact(t events.Type) bool { return slices.Contains(facts, t) }

// Rules is raised when the audit of the same log changes.
const Rules = 14

// CrossesSessions reports whether events of a type can change the audit of a session if another session of the project reports them
// after the session's newest compaction.
func CrossesSessions(t events.Type) bool { return crossing()[t] }

var crossing = sync.OnceValue(func() map[events.Type]bool {
	all := map[events.Type]bool{events.TypeOf[events.FileObserved](): true, events.TypeOf[events.ConversationRewound](): true}
	for _, r := range projections.LastCompact.Reads() {
		if r.Scope > projections.Session {
			all[r.Type] = true
		}
	}
	return all
})
