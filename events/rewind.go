package events

// ConversationRewound records that the person took back the end of a lane's conversation: folds ignore the reversible events
// from First to Last. The agent continues from before First.
type ConversationRewound struct {
	// First and Last are the sequences of the first and last event taken back. In a report they are 0; the owner sets them.
	First uint64 `json:"first"`
	Last  uint64 `json:"last"`
	Files bool   `json:"files,omitempty"` // the client restored the files too
	// From is the id of the first event taken back, or of the turn that it begins, and Next the id of the first event after
	// the rewind. A reporter, which knows no sequences, sets them; the owner clears them.
	From string `json:"from,omitempty"`
	Next string `json:"next,omitempty"`
}

func (ConversationRewound) event() {}

var _ = declare[ConversationRewound]("conversation.rewound", "the person took back a part of the conversation", lasting, irreversible,
	from(Rewind, func(h Hook) ConversationRewound { return ConversationRewound{Files: h.Restored, From: h.Turn} }))
