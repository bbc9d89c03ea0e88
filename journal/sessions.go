package journal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"journal/events"
)

// ErrNoSession is returned when the log holds no such session.
var ErrNoSession = errors.New("no session")

// Session is one session of the log, as far as it is of one project.
type Session struct {
	Project string // key
	ID      string
	Events  uint64 // stored, echoes with them
}

func (s Session) selector() events.Selector {
	return events.Selector{Project: s.Project, Session: s.ID}
}

// Sessions lists the sessions of the log, by project and id. One that is of two projects is there
// twice; what belongs to no session is left out.
func (l *Log) Sessions(ctx context.Context) ([]Session, error) { return l.sessions(ctx, "") }

// SessionsAtHome lists the sessions of the log, each once: a session is of two projects when
// somebody spoke of it before it began, and at home where most of it happened.
func (l *Log) SessionsAtHome(ctx context.Context) ([]Session, error) {
	all, err := l.Sessions(ctx)
	return atHome(all), err
}

// FindSession finds a session, where it is at home, by its id or by a beginning of it that no other
// has. The error is ErrNoSession when there is none.
func (l *Log) FindSession(ctx context.Context, prefix string) (Session, error) {
	all, err := l.SessionsAtHome(ctx)
	if err != nil {
		return Session{}, err
	}
	var found []Session
	for _, s := range all {
		if s.ID == prefix {
			return s, nil
		}
		if strings.HasPrefix(s.ID, prefix) {
			found = append(found, s)
		}
	}
	switch len(found) {
	case 0:
		return Session{}, fmt.Errorf("%w %s", ErrNoSession, prefix)
	case 1:
		return found[0], nil
	}
	return Session{}, fmt.Errorf("%d sessions begin with %s", len(found), prefix)
}

// NewestSession gives the session of a project with the newest event. The error is ErrNoSession
// when it has none.
func (l *Log) NewestSession(ctx context.Context, project string) (newest Session, err error) {
	all, err := l.sessions(ctx, project)
	if err != nil {
		return newest, err
	}
	seq := uint64(0)
	for _, s := range all {
		last, err := l.LastOf(ctx, s)
		if err != nil {
			return newest, err
		}
		if last.Seq > seq {
			newest, seq = s, last.Seq
		}
	}
	if seq == 0 {
		return newest, fmt.Errorf("%w of project %s", ErrNoSession, project)
	}
	return newest, nil
}

// LastOf gives the envelope fields of a session's newest event; Seq is 0 when there is none.
func (l *Log) LastOf(ctx context.Context, s Session) (events.Meta, error) {
	e, err := l.Last(ctx, s.selector())
	if errors.Is(err, ErrNone) {
		return events.Meta{}, nil
	}
	return e.Meta, err
}

// sessions lists the sessions of a project, of every one when it is empty.
func (l *Log) sessions(ctx context.Context, project string) ([]Session, error) {
	subjects, err := l.Subjects(ctx, events.Selector{Project: project})
	if err != nil {
		return nil, err
	}
	var all []Session
	for _, s := range subjects {
		if s.Session == events.None {
			continue
		}
		if n := len(all); n > 0 && all[n-1].ID == s.Session && all[n-1].Project == s.Project {
			all[n-1].Events += s.Events
			continue
		}
		all = append(all, Session{Project: s.Project, ID: s.Session, Events: s.Events})
	}
	return all, nil
}

// atHome keeps of each session the project with most of its events.
func atHome(all []Session) []Session {
	var home []Session
	for _, s := range all {
		i := slices.IndexFunc(home, func(h Session) bool { return h.ID == s.ID })
		if i < 0 {
			home = append(home, s)
		} else if s.Events > home[i].Events {
			home[i] = s
		}
	}
	return home
}
