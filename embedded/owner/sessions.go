package owner

import (
	"context"

	"journal/events"
)

// sessions knows which project each session works on.
type sessions map[string]string

// settle puts what a person or a script reports about a session into the project of
// that session: they may be anywhere, and know the session by its id. A session that
// the log does not know stays where the report says. The caller holds mu.
func (w *writer) settle(ctx context.Context, report []*draft) error {
	first := report[0].Meta
	if first.Agent != "" || first.Session == events.None {
		return nil
	}
	if w.sessions == nil {
		subjects, err := w.log.Subjects(ctx, events.Selector{})
		if err != nil {
			return err
		}
		w.sessions = sessions{}
		for _, s := range subjects {
			w.sessions.note(s.Session, s.Project)
		}
	}
	project, known := w.sessions[first.Session]
	if !known || project == events.None {
		return nil
	}
	for _, d := range report {
		if d.Project == project {
			continue
		}
		d.Project = project
		if err := d.encode(); err != nil {
			return err
		}
	}
	return nil
}

// note remembers where a session was seen. One that was seen without a project
// belongs to the first that it is seen with.
func (s sessions) note(session, project string) {
	if s == nil {
		return // the log is read when somebody needs it
	}
	if was, known := s[session]; session != events.None && (!known || was == events.None) {
		s[session] = project
	}
}
