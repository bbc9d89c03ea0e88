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
	// Cleared lists what went from contexts without a compaction, in the order of the log.
	Cleared []Cleared `json:"cleared,omitempty"`

	newest []Item // what Newest lists, once it is known
}

// Cleared is a part of a lane's context that went without a compaction.
type Cleared struct {
	Seq     uint64            `json:"seq"`
	At      projections.Stamp `json:"at"`
	Lane    string            `json:"lane,omitempty"`
	Before  int64             `json:"pre_tokens,omitempty"` // 0 for unknown
	Freed   int64             `json:"freed_tokens"`
	Results int               `json:"results,omitempty"` // of tool calls; 0 if only the usage shows that something went
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
	Totals     Totals            `json:"totals"`
	Others     int               `json:"others"`            // other things that were known: an audit has no answer for them
	Settled    int               `json:"settled,omitempty"` // items that News left out, because an earlier compaction has them
	Items      []Item            `json:"items"`             // by kind in the order of knowledge.Audited, each in the order of the log

	past []Item // items of earlier compactions that were known here and no longer worth keeping: done, or followed by others
}

// Item is one thing worth keeping that was known before the compaction.
type Item struct {
	ID     string         `json:"id"` // kind-seq[.n], as in recovery texts (ADR-0012 rule 3)
	Kind   knowledge.Kind `json:"kind"`
	Text   string         `json:"text"`
	Detail string         `json:"detail,omitempty"` // the heading of a flow; the state of a todo; what was done with a file
	Seq    uint64         `json:"seq"`              // the event it came from
	Weak   bool           `json:"weak,omitempty"`   // a decision read out of prose (ADR-0028)
	Worth  int            `json:"worth"`            // its rank, lowest first (docs/AUDIT.md)
	// Status is the answer to what became of it.
	Status   Status   `json:"status"`
	Evidence Evidence `json:"evidence"`

	def    *knowledge.Def
	source *knowledge.Item // while its answer is looked for
}

// Status is the fate of an item.
type Status string

// The statuses. An item has the first one with evidence: first those that last, then those that the model surely sees,
// then those that it would have to look for (ADR-0010 rule 2). In words they are the same, with spaces.
const (
	Promoted  Status = "promoted"           // lasting knowledge holds it, or a compound named it
	InSummary Status = "told"               // the summary tells it
	Kept      Status = "kept_by_the_client" // the client kept the message or restored the file
	Restored  Status = "restored"           // the client's transcript shows that our text carried it
	Offered   Status = "offered"            // our text carried it, without a receipt
	InFile    Status = "in_a_file"          // the newest observation of a file held it
	Reviewed  Status = "reviewed"           // a compound went by it without evidence of promotion
	Unclear   Status = "unclear"            // the summary tells something like it, only a part was restored, or there is no summary
	Lost      Status = "lost"               // none of these
)

// Statuses lists every status in the order of precedence.
func Statuses() []Status {
	return []Status{Promoted, InSummary, Kept, Restored, Offered, InFile, Reviewed, Unclear, Lost}
}

// Evidence is why an item has its status.
type Evidence struct {
	// Seq is the event that shows it: the compound, the summary, the recovery.sent or the file.observed. 0 for none.
	Seq uint64 `json:"seq,omitempty"`
	// Receipt is the delivery.confirmed of an item that was restored or kept by the client.
	Receipt uint64 `json:"receipt,omitempty"`
	// Path is the file that was observed to hold it.
	Path string `json:"path,omitempty"`
	// By reports who compared the item with the summary: rule, or judge; empty if nobody did, or it does not matter.
	By string `json:"by,omitempty"`
	// Judge is the program of a judge, and Judged the audit.judged event.
	Judge  string `json:"judge,omitempty"`
	Judged uint64 `json:"judged,omitempty"`
	// Match is the place in the summary that tells it, or is most like it; nil for none.
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

// Rules is raised when the audit of the same log changes.
const Rules = 13

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
