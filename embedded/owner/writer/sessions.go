package writer

import (
	"context"
	"time"

	"journal/events"
	"journal/journal/wire/client"
)

// sessions holds the project of each session that was asked for, empty where the log knows none.
type sessions map[string]string

// Settle puts the events of a session into the project in which the session began: a hook names the directory in which its
// agent works at the moment, and a script runs anywhere. A session that the log does not know gets the project of the report.
// An observed file stays in the project of the report, because its path is relative to that, and loses its session.
//
// root is the path of the report's project; it comes back empty when the events are put into another one. The error is
// client.ErrPaused when the recording of the session's project was paused at the time of the report. The caller holds the lock.
func (w *Writer) Settle(ctx context.Context, report []*Draft, root string) (string, error) {
	asked, home := events.None, ""
	for _, d := range report {
		if d.Session != asked { // an import tells hundreds of events of one new session
			var err error
			if home, err = w.homeOf(ctx, d.Session); err != nil {
				return "", err
			}
			asked = d.Session
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

// homeOf returns the project of a session, empty when the log knows none.
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
	w.sessions[session] = home // an empty one too: note sets it when an event is stored
	return home, nil
}

// note remembers the project of a session, the first that it is seen with.
func (s sessions) note(session, project string) {
	if session != events.None && project != events.None && project != "" && s[session] == "" {
		s[session] = project
	}
}

// Expect remembers the project of a session whose first event is about to be stored. fresh says that the session was not known:
// call Forget if nothing is stored. The caller holds the lock.
func (w *Writer) Expect(session, project string) (fresh bool) {
	if w.sessions[session] != "" {
		return false
	}
	w.sessions.note(session, project)
	return true
}

// Forget takes Expect back. The caller holds the lock.
func (w *Writer) Forget(session string) { delete(w.sessions, session) }
