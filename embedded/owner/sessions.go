package owner

import (
	"context"

	"journal/events"
)

// sessions knows which project each session works on.
type sessions map[string]string

// settled puts what a person or a script reports about a session into the
// project of that session: they may be anywhere, and know the session by its id.
// A session that the log does not know stays where the report says. The caller
// holds appending.
func (o *Owner) settled(ctx context.Context, report []events.Envelope) error {
	first := report[0].Meta
	if first.Agent != "" || first.Session == events.None {
		return nil
	}
	if o.sessions == nil {
		subjects, err := o.log.Subjects(ctx, events.Selector{})
		if err != nil {
			return err
		}
		o.sessions = sessions{}
		for _, s := range subjects {
			o.sessions.note(s.Session, s.Project)
		}
	}
	project, known := o.sessions[first.Session]
	if !known || project == events.None {
		return nil
	}
	for i := range report {
		report[i].Project = project
	}
	return nil
}

// note remembers where a session was seen. One that was seen without a project
// belongs to the first that it is seen with.
func (s sessions) note(session, project string) {
	if was, known := s[session]; session != events.None && (!known || was == events.None) {
		s[session] = project
	}
}
