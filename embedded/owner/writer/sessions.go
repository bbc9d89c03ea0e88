package writer

import (
	"context"
	"time"

	"journal/events"
	"journal/journal/wire/client"
)

// sessions caches the project of each session, by the session's id. The project is empty if the log has none.
type sessions map[string]string

// Settle moves the events of a session into the project in which the session began: a hook names the directory in which its agent works at
// the moment, and a script may run anywhere. The events of a session that the log lacks stay in the project of the report. An observed file
// stays there too, because its path is relative to that project, and loses its session.
//
// root is the path of the report's project. Settle returns root, or an empty path if it moves events to another project. The error is
// client.ErrPaused if it changes an event that happened while the recording of the session's project was paused. The caller holds the lock.
func (w *Writer) Settle(ctx context.Context, report []*Draft, root string) (string, error) {
	session, home := events.None, ""
	for _, d := range report {
		if d.Session != session { // else home is known: an import has hundreds of events of one session
			var err error
			if home, err = w.homeOf(ctx, d.Session); err != nil {
				return "", err
			}
			session = d.Session
		}
		if home == "" || home == d.Project {
			continue
		}
		if d.Type == events.TypeOf[events.FileObserved]() {
			d.Session, d.Lane = events.None, ""
		} else {
			d.Project, root = home, ""
		}
		if since, paused := client.PausedSince(w.Dir, home); paused && time.Unix(0, d.At).After(since) {
			return "", client.ErrPaused
		}
		if err := d.encode(); err != nil {
			return "", err
		}
	}
	return root, nil
}

// homeOf returns the project of a session, empty if the log has none.
func (w *Writer) homeOf(ctx context.Context, session string) (string, error) {
	if session == events.None {
		return "", nil
	}
	if home, known := w.sessions[session]; known {
		return home, nil
	}
	subjects, err := w.Log.Subjects(ctx, events.Selector{Session: session})
	if err != nil {
		return "", err
	}
	home := ""
	for _, s := range subjects {
		if s.Project != events.None {
			home = s.Project
		}
	}
	w.sessions[session] = home // note replaces an empty project when an event is stored
	return home, nil
}

// note records the project of a session, unless it has one.
func (s sessions) note(session, project string) {
	if session != events.None && project != events.None && project != "" && s[session] == "" {
		s[session] = project
	}
}

// Expect records the project of a session whose first event is about to be stored, and reports whether the session is new. Otherwise Settle
// would not move later reports of the same batch. Call Forget for a new session if the batch fails. The caller holds the lock.
func (w *Writer) Expect(session, project string) (fresh bool) {
	if w.sessions[session] != "" {
		return false
	}
	w.sessions.note(session, project)
	return true
}

// Forget undoes Expect. The caller holds the lock.
func (w *Writer) Forget(session string) { delete(w.sessions, session) }
