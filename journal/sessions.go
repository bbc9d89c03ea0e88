package journal

import (
	"context"
	"errors"

	"journal/events"
)

// ErrNoSession is returned when the log holds no such session.
var ErrNoSession = errors.New("no session")

// Session is the part of a session that belongs to one project.
type Session struct {
	Project string // key
	ID      string
	Events  uint64 // stored events, including echoes
	// ByAgent is set if an agent reported the session: it has an event of a type that neither
	// a person nor a script can append.
	ByAgent bool `msgpack:"Told"` // the name in derived files
	// Asked is set if the session has a prompt, of a person or a machine.
	Asked bool
}

// Sessions lists the sessions of the log, sorted by project and id. A session of two projects is listed
// twice. Events without a session are left out.
func (l *Log) Sessions(ctx context.Context) ([]Session, error) {
	subjects, err := l.Subjects(ctx, events.Selector{})
	if err != nil {
		return nil, err
	}
	var all []Session
	for _, s := range subjects {
		if s.Session == events.None {
			continue
		}
		if n := len(all); n == 0 || all[n-1].ID != s.Session || all[n-1].Project != s.Project {
			all = append(all, Session{Project: s.Project, ID: s.Session})
		}
		last := &all[len(all)-1]
		last.Events += s.Events
		last.ByAgent = last.ByAgent || !events.Appendable(s.Type)
		last.Asked = last.Asked || s.Type == events.TypeOf[events.PromptSubmitted]()
	}
	return all, nil
}

// InMainProjects returns each session once, in the project with most of its events. ByAgent is set if it is
// set for any of the session's projects.
func InMainProjects(all []Session) []Session {
	var main []Session
	index := map[string]int{} // in main, by id
	for _, s := range all {
		i, known := index[s.ID]
		if !known {
			index[s.ID] = len(main)
			main = append(main, s)
			continue
		}
		byAgent := s.ByAgent || main[i].ByAgent
		if s.Events > main[i].Events {
			main[i] = s
		}
		main[i].ByAgent = byAgent
	}
	return main
}
