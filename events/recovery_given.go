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

var _ = declare("recovery.given", "the recovery text of a compaction was given", reserved[RecoveryGiven]())
