package events

// SessionLinked says which session another one goes on from, as it was found in
// their transcripts: no hook of a fork names its parent, and what lies before
// the first hook of a session is kept apart (ADR-0011, ADR-0020).
type SessionLinked struct {
	Session string `json:"session"` // the earlier one
	How     string `json:"how"`     // fork, predecessor
	// Row is the first transcript row that both have, of a fork.
	Row string `json:"row,omitempty"`
}

func (SessionLinked) event() {}

var _ = declare[SessionLinked]("session.linked", "a session goes on from another one, as their transcripts show", lasting[SessionLinked]())

// ForkID is the id of the link of a fork to its parent. A session is forked once, so
// that whoever finds the link, while the fork runs or in an import, gives it this id.
func ForkID(project, session string) string {
	return DerivedID(string(TypeOf[SessionLinked]()), "fork", project, session)
}
