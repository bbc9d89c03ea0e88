package writer

import (
	"context"
	"time"

	"journal/embedded/owner/draft"
	"journal/events"
	"journal/journal/wire/client"
)

// sessions knows which project each session is of, of those that were asked for: empty for none.
type sessions map[string]string

// Settle puts what is reported of a session into the project that the session began
// in: a hook names the directory that its agent happens to work in, and a script is run
// anywhere. A session that the log does not know stays where the report says. An
// observed file is another matter: its name is below the directory that was named, so
// it stays there and is no session's.
//
// root is the path behind the project that the report names; it comes back empty when
// that is not the project of the events. The error is client.ErrPaused when the
// recording of the session's own project was paused by then: who reported asked about
// another one. The caller holds the lock.
func (w *Writer) Settle(ctx context.Context, report []*draft.Draft, root string) (string, error) {
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

// homeOf gives the project of a session, empty when the log tells none. Of several,
// which versions before this one could give it, it is the one that it began in.
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
	projects := map[string]bool{}
	for _, s := range subjects {
		if s.Project != events.None {
			projects[s.Project] = true
		}
	}
	home, first := "", w.head+1
	for project := range projects {
		began := first - 1
		if len(projects) > 1 {
			if began, err = w.firstOf(ctx, events.Selector{Project: project, Session: session}); err != nil {
				return "", err
			}
		}
		if began < first {
			home, first = project, began
		}
	}
	w.sessions[session] = home // also that it has none: whatever is stored is noted
	return home, nil
}

// firstOf gives the sequence of the first event that a selector names, the head when
// what lies before it cannot be read.
func (w *Writer) firstOf(ctx context.Context, sel events.Selector) (uint64, error) {
	for e, err := range w.Log.Events(ctx, events.Span{Until: w.head}, sel) {
		if draft.Refused(err) {
			break // damage: another project is as good
		}
		return e.Seq, err
	}
	return w.head, nil
}

// note remembers where a session was seen. One that was seen without a project
// belongs to the first that it is seen with.
func (s sessions) note(session, project string) {
	if session != events.None && project != events.None && project != "" && s[session] == "" {
		s[session] = project
	}
}

// Expect notes in which project a session is that is about to be stored. It says whether the session was
// not known: then Forget takes it back when nothing is stored. The caller holds the lock.
func (w *Writer) Expect(session, project string) (fresh bool) {
	if w.sessions[session] != "" {
		return false
	}
	w.sessions.note(session, project)
	return true
}

// Forget forgets a session that perhaps is not in the log. The caller holds the lock.
func (w *Writer) Forget(session string) { delete(w.sessions, session) }
