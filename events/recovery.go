package events

// RecoveryGiven claims and records the recovery text of one compaction: it is
// appended before the text is printed, under an id that every asker derives
// alike, so that of two askers one gets the text (ADR-0006).
type RecoveryGiven struct {
	Compaction int      `json:"compaction"`       // ordinal of the compaction within its lane, from 1
	AsOf       uint64   `json:"as_of"`            // the text was derived from the log up to here
	Lang       string   `json:"lang"`             // en, ko, ja
	Units      int      `json:"units"`            // length of the text in UTF-16 code units
	Digest     string   `json:"digest"`           // sha256 of the text, hex
	Items      []string `json:"items,omitempty"`  // what it carried, whole or in part: kind-seq, or kind-seq.part
	Resume     bool     `json:"resume,omitempty"` // given again to a client that lost it on resume (ADR-0019 rule 5)

	// Partial tells the items that it carried in part. Those that were recorded
	// before there was this field say nothing of it.
	Partial []PartialItem `json:"partial,omitempty"`
}

// PartialItem is an item of which a text has not all.
type PartialItem struct {
	Item    string `json:"item"`    // as among the items
	Percent int    `json:"percent"` // of the item that the text has, 0 to 99
}

func (RecoveryGiven) event() {}

var _ = declare[RecoveryGiven]("recovery.given", "the recovery text of a compaction was given", reserved)

// DeliveryConfirmed says what an agent's own transcript shows of its context
// after a compaction: that our recovery text arrived, and what the client kept
// by itself (ADR-0010). RecoveryGiven alone proves that the text was
// printed; this is its receipt.
type DeliveryConfirmed struct {
	// Compaction is the ordinal of the compaction within its lane, from 1; 0 is
	// that of the recovery.given, or without one the newest before this event.
	Compaction int `json:"compaction,omitempty"`

	Recovery uint64 `json:"recovery,omitempty"` // sequence of the recovery.given, 0 when no text was found
	Digest   string `json:"digest,omitempty"`   // sha256 of the text that arrived, hex, as in recovery.given
	Whole    bool   `json:"whole,omitempty"`    // all of the text; else the client spilled it into a file and showed a preview
	// Preview is how much of the beginning the client showed of a text that is
	// not whole, in UTF-16 code units.
	Preview int `json:"preview,omitempty"`
	// Kept are the sequences of the prompt.submitted, command.ran, file.read and
	// file.written events whose messages or files the client itself carried
	// over into the new context.
	Kept []uint64 `json:"kept,omitempty"`
}

func (DeliveryConfirmed) event() {}

var _ = declare[DeliveryConfirmed]("delivery.confirmed", "the agent's transcript shows what its context holds after a compaction", reserved)

// NoticeGiven claims and records something that was said to the agent, to the
// person or to the summariser of a compaction, other than a recovery text. Like
// that one it is appended before it is printed, under an id that every asker
// derives alike (ADR-0006).
type NoticeGiven struct {
	Kind   string `json:"kind"`            // pressure, stop, start, guidance, restore
	Level  string `json:"level,omitempty"` // of a pressure notice: info, urgent
	To     string `json:"to"`              // model, person, summariser
	AsOf   uint64 `json:"as_of"`           // derived from the log up to here
	About  uint64 `json:"about,omitempty"` // newest event that it speaks of, so that it is said once
	Lang   string `json:"lang"`
	Units  int    `json:"units"`  // length in UTF-16 code units
	Digest string `json:"digest"` // sha256 of the text, hex
}

func (NoticeGiven) event() {}

var _ = declare[NoticeGiven]("notice.given", "something was said to the agent, the person or the summariser", reserved)

// RestoreRequested says that a person wants the agent to have back what a
// compaction took: it is given with the next prompt of the lane, and recorded as
// a notice then.
type RestoreRequested struct {
	Items []string `json:"items,omitempty"` // kind-seq[.n], as an audit names them
	Text  string   `json:"text"`            // markdown
}

func (RestoreRequested) event() {}

var _ = declare[RestoreRequested]("restore.requested", "a person wants the agent to have something back", appendable, requires("text"))
