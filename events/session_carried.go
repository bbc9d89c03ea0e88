package events

// SessionCarried says what a session takes over from the one that it goes on from: a
// person who clears the context goes on with the work. It is an event because nothing
// of one session is read as another's (S3.8).
type SessionCarried struct {
	From  string `json:"from"`            // the session
	Todos []Todo `json:"todos,omitempty"` // that it left open
	Plan  string `json:"plan,omitempty"`  // that the person approved last
	File  string `json:"file,omitempty"`  // where the client keeps the plan
}

func (SessionCarried) event() {}

var _ = declare("session.carried", "a session took over what the one before it left open", lasting[SessionCarried](), reserved[SessionCarried]())
