package events

// ConversationRewound records that the person took back the end of a lane's conversation: folds ignore the reversible events
// from First to Last. The agent continues from before First.
type ConversationRewound struct {
	// First and Last are the sequences of the first and last event taken back. The owner sets those that are 0 in a report.
	First uint64 `json:"first"`
	Last  uint64 `json:"last"`
	Files bool   `json:"files,omitempty"` // the client restored the files too
	// From is the id of the first event taken back, or of its turn, and Next the id of the first event after the rewind. They
	// stand in a report for unknown sequences; the owner clears them.
	From string `json:"from,omitempty"`
	Next string `json:"next,omitempty"`
}

func (ConversationRewound) event() {}

var _ = declare[ConversationRewound]("conversation.rewound", "the person took back a part of the conversation", lasting, irreversible,
	from(Rewind, func(h Hook) ConversationRewound { return ConversationRewound{Files: h.Restored, From: h.Turn} }))
