package events

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

var _ = declare("notice.given", "something was said to the agent, the person or the summariser", reserved[NoticeGiven]())
