package events

// SessionLinked says which session another one goes on from, as an import found it
// in their transcripts: no hook of a fork names its parent, and what lies before
// the first hook of a session is kept apart (DECISIONS 2.8, 3.6).
type SessionLinked struct {
	Session string `json:"session"` // the earlier one
	How     string `json:"how"`     // fork, predecessor
	// Row is the first transcript row that both have, of a fork.
	Row string `json:"row,omitempty"`
}

func (SessionLinked) event() {}

var _ = declare[SessionLinked]("session.linked", "a session goes on from another one, as their transcripts show")
