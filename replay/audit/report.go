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
	Totals      Totals       `json:"totals"`      // of every item once, as Newest gives it
}

// Compaction is one compaction of one lane.
type Compaction struct {
	Ordinal    int               `json:"ordinal"`        // within its lane, from 1
	Lane       string            `json:"lane,omitempty"` // subagent id; empty is the main thread
	Seq        uint64            `json:"seq"`            // its first fact
	At         projections.Stamp `json:"at"`
	Trigger    string            `json:"trigger"` // manual, auto; empty when no hook told
	Agent      string            `json:"agent,omitempty"`
	Client     string            `json:"client,omitempty"` // its version, as far as it was told
	HasSummary bool              `json:"has_summary"`
	SummarySeq uint64            `json:"summary_seq,omitempty"` // the event with the summary
	Counts     map[Status]int    `json:"counts"`                // items by status; statuses of no item are left out
	Partial    int               `json:"partial,omitempty"`     // of those how many a recovery text carried only in part
	Totals     Totals            `json:"totals"`
	Settled    int               `json:"settled,omitempty"` // items that News left out: an earlier compaction has them
	Items      []Item            `json:"items"`             // by kind in the order of knowledge.Audited, each in the order of the log
}

// Item is one piece of knowledge that was there before the compaction.
type Item struct {
	ID     string         `json:"id"` // kind-seq[.n], as in recovery texts (ADR-0012 rule 3)
	Kind   knowledge.Kind `json:"kind"`
	Text   string         `json:"text"`
	Detail string         `json:"detail,omitempty"` // the heading of a flow; the error of an error; the state of a todo; what was done with a file
	Seq    uint64         `json:"seq"`              // the event it came from
	Weak   bool           `json:"weak,omitempty"`   // a decision read out of prose (ADR-0028)
	// Worth is the item's rank among what is worth keeping, the lowest first, and 0 for a
	// routine item (docs/AUDIT.md).
	Worth   int    `json:"worth,omitempty"`
	Routine bool   `json:"routine,omitempty"`
	Status  Status `json:"status"`
	// Partial says that a recovery text had only a part of the item, and Share how
	// much, in percent.
	Partial  bool     `json:"partial,omitempty"`
	Share    int      `json:"share,omitempty"`
	Evidence Evidence `json:"evidence"`

	of     *knowledge.Def
	source *knowledge.Item // while it is judged
	rated  knowledge.Worth
}

// Kept says whether the agent still has the item, all of it, without looking for
// it, or the project has it for good.
func (it Item) Kept() bool {
	return !it.Partial && slices.Contains([]Status{Promoted, InSummary, Preserved, Reinjected}, it.Status)
}

// Status is what became of an item.
type Status string

// The statuses. An item has the first one that it has evidence for: what lasts
// longest first, then what the model is sure to have before it, then what it
// would have to look for (ADR-0010 rule 2).
const (
	Promoted   Status = "promoted"   // lasting knowledge holds it, or a compound named it
	InSummary  Status = "in_summary" // the summary says it
	Preserved  Status = "preserved"  // the client kept the message or restored the file
	Reinjected Status = "reinjected" // the client's transcript shows that our text carried it
	Offered    Status = "offered"    // our text carried it; no receipt. It counts as neither kept nor lost
	OnDisk     Status = "on_disk"    // the newest observation of a file held it
	Reviewed   Status = "reviewed"   // a compound went by it, and nothing shows that it promoted it. It counts as neither kept nor lost
	Unknown    Status = "unknown"    // no summary was recorded, and nothing else is known
	Lost       Status = "lost"       // none of these, and there is a summary that does not say it
)

// Statuses lists every status in the order of precedence.
func Statuses() []Status {
	return []Status{Promoted, InSummary, Preserved, Reinjected, Offered, OnDisk, Reviewed, Unknown, Lost}
}

// Evidence is why an item has its status.
type Evidence struct {
	// Seq is the event that shows it: the compound, the summary, the
	// recovery.given, the file.observed. 0 when nothing shows anything.
	Seq uint64 `json:"seq,omitempty"`
	// Receipt is the delivery.confirmed of a reinjected or preserved item.
	Receipt uint64 `json:"receipt,omitempty"`
	// Path is the file that was observed to hold it.
	Path string `json:"path,omitempty"`
	// Match says which words of the summary carry it; nil without.
	Match *match.Match `json:"match,omitempty"`
	// Why says in one sentence how the status came about.
	Why string `json:"why"`
}

// facts are the events that a compaction is known by (ADR-0009).
var facts = []events.Type{
	events.TypeOf[events.ContextRestarted](),
	events.TypeOf[events.CompactionCompleted](),
}

// IsFact says whether a compaction is known by events of a type: a session without one has nothing to audit.
func IsFact(t events.Type) bool { return slices.Contains(facts, t) }

// Rules is raised when the same log is audited in another way.
const Rules = 5

// Around says whether the audit of a session may change with an event of a type that is of its project and not
// of the session, after the newest compaction: what was known before a compaction, nothing later changes.
func Around(t events.Type) bool { return around()[t] }

var around = sync.OnceValue(func() map[events.Type]bool {
	all := map[events.Type]bool{events.TypeOf[events.FileObserved](): true}
	for _, r := range projections.LastCompact.Reads() {
		if r.Scope > projections.Session {
			all[r.Type] = true
		}
	}
	return all
})
