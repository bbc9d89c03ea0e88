package journal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"journal/events"
)

// ErrNoSession is returned when the log holds no such session.
var ErrNoSession = errors.New("no session")

// Session is the part of a session that belongs to one project.
type Session struct {
	Project string // key
	ID      string
	Events  uint64 // stored events, including echoes
	// ByAgent is set if an agent reported it: it holds more than a person or a script can
	// record under any name.
	ByAgent bool `msgpack:"Told"` // the name in derived files
	// Asked reports whether it has a request, of a person or a machine.
	Asked bool
}

func (s Session) selector() events.Selector {
	return events.Selector{Project: s.Project, Session: s.ID}
}

// Sessions lists the sessions of the log, by project and id. A session of two projects is listed
// twice; events without a session are left out.
func (l *Log) Sessions(ctx context.Context) ([]Session, error) { return l.sessions(ctx, "") }

// Newest lists sessions, each with its newest event, the last active first. It goes by the reporters' times, because an
// import appends old events.
func (l *Log) Newest(ctx context.Context, all []Session) ([]Activity, error) {
	active := make([]Activity, len(all))
	for i, s := range all {
		last, err := l.LastOf(ctx, s)
		if err != nil {
			return nil, err
		}
		newest, err := l.activity(ctx, s, last)
		if err != nil {
			return nil, err
		}
		active[i] = Activity{s, newest, last.Seq}
	}
	SortNewest(active)
	return active, nil
}

// SortNewest sorts sessions, the last active first.
func SortNewest(all []Activity) {
	slices.SortStableFunc(all, func(a, b Activity) int {
		return cmp.Or(cmp.Compare(b.Newest.At, a.Newest.At), cmp.Compare(b.Newest.Seq, a.Newest.Seq))
	})
}

// Activity is a session with its newest event.
type Activity struct {
	Session
	Newest events.Meta // of the newest event that is not the owner's
	Last   uint64      // sequence of the newest event, including the owner's own
}

// activity returns the newest event of a session that is not the owner's own, or the last one if there is no other: the
// owner appends findings at any time, such as the end of a process.
func (l *Log) activity(ctx context.Context, s Session, last events.Meta) (events.Meta, error) {
	if !events.Aside(last.Type) {
		return last, nil
	}
	subjects, err := l.Subjects(ctx, s.selector())
	if err != nil {
		return last, err
	}
	found := last
	for _, count := range subjects {
		if events.Aside(count.Type) {
			continue
		}
		e, err := l.Last(ctx, events.Selector{Project: s.Project, Session: s.ID, Type: count.Type})
		if err != nil {
			return last, err
		}
		if events.Aside(found.Type) || e.Seq > found.Seq {
			found = e.Meta
		}
	}
	return found, nil
}

// NewestSessions returns the sessions of a project, the last active first. The error is ErrNoSession if it has none.
func (l *Log) NewestSessions(ctx context.Context, project string) ([]Activity, error) {
	all, err := l.sessions(ctx, project)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%w of project %s", ErrNoSession, project)
	}
	return l.Newest(ctx, all)
}

// LastOf returns the envelope fields of a session's newest event; Seq is 0 if there is none.
func (l *Log) LastOf(ctx context.Context, s Session) (events.Meta, error) {
	e, err := l.Last(ctx, s.selector())
	if errors.Is(err, ErrNone) {
		return events.Meta{}, nil
	}
	return e.Meta, err
}

// sessions lists the sessions of a project; "" means all projects.
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

// InMainProjects keeps for each session only the project with most of its events.
func InMainProjects(all []Session) []Session {
	var home []Session
	places := map[string]int{}
	for _, s := range all {
		i, known := places[s.ID]
		if !known {
			places[s.ID] = len(home)
			home = append(home, s)
			continue
		}
		reported := s.ByAgent || home[i].ByAgent
		if s.Events > home[i].Events {
			home[i] = s
		}
		home[i].ByAgent = reported
	}
	return home
}
