package audit

import (
	"slices"
	"sync"

	"journal/events"
	"journal/projections"
	"journal/replay/audit/match"
	"journal/replay/knowledge"
)

// Report is the audit of one session. Its JSON form is that of `journal audit
// --json`.
type Report struct {
	Session     string       `json:"session"`
	Compactions []Compaction `json:"compactions"` // of every lane audited, in the order of the log
	Totals      Totals       `json:"totals"`      // of every item once, as in Newest

	newest []Item // what Newest lists, once it is known
}

// Compaction is one compaction of one lane.
type Compaction struct {
	Ordinal    int               `json:"ordinal"`        // within its lane, from 1
	Lane       string            `json:"lane,omitempty"` // subagent id; empty is the main thread
	Seq        uint64            `json:"seq"`            // its first event
	At         projections.Stamp `json:"at"`
	Trigger    string            `json:"trigger"` // manual, auto; empty if unknown
	Agent      string            `json:"agent,omitempty"`
	Client     string            `json:"client,omitempty"` // its version; empty if unknown
	HasSummary bool              `json:"has_summary"`
	SummarySeq uint64            `json:"summary_seq,omitempty"` // the event with the summary
	Counts     map[Status]int    `json:"counts"`                // items by status; statuses without items are left out
	Partial    int               `json:"partial,omitempty"`     // items that a recovery text had only in part
	Totals     Totals            `json:"totals"`
	Settled    int               `json:"settled,omitempty"` // items that News left out, because an earlier compaction has them
	Items      []Item            `json:"items"`             // by kind in the order of knowledge.Audited, each in the order of the log
}

// Item is one thing that was known before the compaction.
type Item struct {
	ID     string         `json:"id"` // kind-seq[.n], as in recovery texts (ADR-0012 rule 3)
	Kind   knowledge.Kind `json:"kind"`
	Text   string         `json:"text"`
	Detail string         `json:"detail,omitempty"` // the heading of a flow; the error of an error; the state of a todo; what was done with a file
	Seq    uint64         `json:"seq"`              // the event it came from
	Weak   bool           `json:"weak,omitempty"`   // a decision read out of prose (ADR-0028)
	// Worth is the item's rank, lowest first, and 0 for a routine item (docs/AUDIT.md).
	Worth   int    `json:"worth,omitempty"`
	Routine bool   `json:"routine,omitempty"`
	Status  Status `json:"status"`
	// Partial says that a recovery text had only a part of the item, and Share how much, in percent.
	Partial  bool     `json:"partial,omitempty"`
	Share    int      `json:"share,omitempty"`
	Evidence Evidence `json:"evidence"`

	of     *knowledge.Def
	ran    events.CommandRan
	source *knowledge.Item // while it is judged
	rated  knowledge.Worth
}

// Kept reports whether the agent still has the whole item without looking for it, or the project keeps it.
func (it Item) Kept() bool {
	return !it.Partial && slices.Contains([]Status{Promoted, InSummary, Preserved, Reinjected}, it.Status)
}

// Status is what became of an item.
type Status string

// The statuses. An item has the first one with evidence: first those that last, then those that the model surely sees,
// then those that it would have to look for (ADR-0010 rule 2).
const (
	Promoted   Status = "promoted"   // lasting knowledge holds it, or a compound named it
	InSummary  Status = "in_summary" // the summary says it
	Preserved  Status = "preserved"  // the client kept the message or restored the file
	Reinjected Status = "reinjected" // the client's transcript shows that our text carried it
	Offered    Status = "offered"    // our text carried it, without a receipt; neither kept nor lost
	OnDisk     Status = "on_disk"    // the newest observation of a file held it
	Reviewed   Status = "reviewed"   // a compound went by it without evidence of promotion; neither kept nor lost
	Unknown    Status = "unknown"    // no summary was recorded, and nothing else is known
	Lost       Status = "lost"       // none of these, and there is a summary that does not say it
)

// Statuses lists every status in the order of precedence.
func Statuses() []Status {
	return []Status{Promoted, InSummary, Preserved, Reinjected, Offered, OnDisk, Reviewed, Unknown, Lost}
}

// Evidence is why an item has its status.
type Evidence struct {
	// Seq is the event that shows it: the compound, the summary, the recovery.sent or the file.observed. 0 for none.
	Seq uint64 `json:"seq,omitempty"`
	// Receipt is the delivery.confirmed of a reinjected or preserved item.
	Receipt uint64 `json:"receipt,omitempty"`
	// Path is the file that was observed to hold it.
	Path string `json:"path,omitempty"`
	// Match is the place in the summary; nil for none.
	Match *match.Match `json:"match,omitempty"`
	// Why explains the status in one sentence.
	Why string `json:"why"`
}

// facts are the events that report a compaction (ADR-0009).
var facts = []events.Type{
	events.TypeOf[events.ContextRestarted](),
	events.TypeOf[events.CompactionCompleted](),
}

// IsFact reports whether events of a type report a compaction. A session without one has nothing to audit.
func IsFact(t events.Type) bool { return slices.Contains(facts, t) }

// Rules is raised when the same log gives another audit.
const Rules = 11

// Around reports whether an event of a type that belongs to the project, and not to the session, can change the session's
// audit after its newest compaction. What was known before a compaction does not change later.
func Around(t events.Type) bool { return around()[t] }

var around = sync.OnceValue(func() map[events.Type]bool {
	all := map[events.Type]bool{events.TypeOf[events.FileObserved](): true, events.TypeOf[events.ConversationRewound](): true}
	for _, r := range projections.LastCompact.Reads() {
		if r.Scope > projections.Session {
			all[r.Type] = true
		}
	}
	return all
})
