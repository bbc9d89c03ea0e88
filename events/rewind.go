package events

// ConversationRewound records that the person took back a part of the conversation of a lane: its messages, work and
// decisions are history, and no part of any later state. The agent goes on from before First.
type ConversationRewound struct {
	// First and Last are the numbers of the first and last event taken back, 0 as long as the owner does not know them.
	First uint64 `json:"first"`
	Last  uint64 `json:"last"`
	Files bool   `json:"files,omitempty"` // the client restored the files too
	// From and Next are the ids of the first event taken back, or of the turn that it begins, and of the first event
	// after the rewind. A reporter names them where it knows no numbers; the owner replaces them.
	From string `json:"from,omitempty"`
	Next string `json:"next,omitempty"`
}

func (ConversationRewound) event() {}

var _ = declare[ConversationRewound]("conversation.rewound", "the person took back a part of the conversation", lasting, irreversible,
	from(Rewind, func(h Hook) ConversationRewound { return ConversationRewound{Files: h.Restored, From: h.Turn} }))
