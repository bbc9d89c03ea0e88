package writer

import (
	"context"
	"time"

	"journal/events"
	"journal/journal/wire/client"
)

// sessions caches the project of sessions, by id; empty if the log has none.
type sessions map[string]string

// Settle moves the events of a session into the project in which the session began: a hook names the directory in which its agent works at
// the moment, and a script runs anywhere. A session that the log lacks gets the project of the report. An observed file stays in the
// project of the report, because its path is relative to that, and loses its session.
//
// root is the path of the report's project. Settle returns it, or an empty one if it moves events to another project. The error is
// client.ErrPaused if the recording of the session's project was paused at the time of the report, or that of the log. The caller holds
// the lock.
func (w *Writer) Settle(ctx context.Context, report []*Draft, root string) (string, error) {
	session, home := events.None, ""
	for _, d := range report {
		if d.Session != session { // an import has hundreds of events of one new session
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
		if err := d.Encode(); err != nil {
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
	w.sessions[session] = home // note replaces an empty one when an event is stored
	return home, nil
}

// note records the project of a session, unless it has one.
func (s sessions) note(session, project string) {
	if session != events.None && project != events.None && project != "" && s[session] == "" {
		s[session] = project
	}
}

// Expect records the project of a session whose first event is about to be stored, and reports whether the session is new. Without it,
// later reports of the same batch would not be moved. After an error of the batch Forget undoes it. The caller holds the lock.
func (w *Writer) Expect(session, project string) (fresh bool) {
	if w.sessions[session] != "" {
		return false
	}
	w.sessions.note(session, project)
	return true
}

// Forget undoes Expect. The caller holds the lock.
func (w *Writer) Forget(session string) { delete(w.sessions, session) }
