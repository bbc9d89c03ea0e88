package events

// Selector selects events by what the log is indexed by. An empty field matches everything.
type Selector struct {
	Project string
	Session string
	Type    Type
}

// Match says whether the selector selects the event.
func (s Selector) Match(m Meta) bool {
	return (s.Project == "" || s.Project == m.Project) &&
		(s.Session == "" || s.Session == m.Session) &&
		(s.Type == "" || s.Type == m.Type)
}

// Span is a stretch of the log: after After, up to and with Until. Until 0 is
// the end of the log as it is when reading begins.
type Span struct {
	After, Until uint64
}
