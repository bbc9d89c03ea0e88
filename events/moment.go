package events

// MomentRecorded says where the agent was when a compaction began: its last words since the newest prompt, as its own
// transcript has them. No hook tells them. It is recorded at compactions only.
type MomentRecorded struct {
	// Said are the words, redacted; empty when the agent had said nothing since the prompt.
	Said string `json:"said,omitempty"`
	// Cut says that Said is not all of them.
	Cut bool `json:"cut,omitempty"`
}

func (MomentRecorded) event() {}

var _ = declare[MomentRecorded]("moment.recorded", "what the agent had said last when a compaction began", reserved)
