package events

import "journal/events/text"

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
