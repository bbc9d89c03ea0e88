package transcriptcopies

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"journal/events"
	"journal/journal"
	"journal/journal/agents/transcript"
	"journal/journal/disk"
	"journal/replay"
)

// settled is the time without a change after which a transcript is copied although no hook has reported the end of its session.
const settled = time.Hour

// Keeper copies the transcripts of ended sessions. It is not safe for concurrent use.
type Keeper struct {
	Dir string // of the journal
	Log replay.Source

	seq      uint64 // up to which the log was read
	sessions map[key]*session
	stopped  map[string]uint64 // sequence of the newest pause, resume or removal, by project; under "" of one that concerns all projects
}

type key struct{ project, session string }

// session is a session of which the log has a start.
type session struct {
	agent, path string    // path of the transcript
	began       uint64    // sequence of its first event; 0 if hooks did not report its beginning
	at          time.Time // time of its first event
	ended       bool
	tried       time.Time // modification time of the transcript at the last attempt; only a change leads to another
}

// Keep copies the transcripts that have changed. It stops between two sessions if idle returns false.
//
// A transcript also holds words from the time of a pause, and words that a person removed from the log. So a session is copied only if it
// began after the newest pause of its project and after the newest removal. An import or a resumed session does not prove when it began: it
// is copied only if nothing was ever paused or removed.
func (k *Keeper) Keep(ctx context.Context, idle func() bool) error {
	if err := k.read(ctx); err != nil {
		return err
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return err
	}
	barred, index := barredUntil(k.Dir), transcript.NewIndex(home, os.Getenv)
	for name, s := range k.sessions {
		if !idle() {
			break
		}
		if max(k.stopped[name.project], k.stopped[""]) > s.began || s.at.Before(barred) {
			continue
		}
		if copyErr := k.copy(ctx, index, name, s); copyErr != nil {
			err = errors.Join(err, fmt.Errorf("copy the transcript of session %s: %w", name.session, copyErr))
		}
	}
	return err
}

// barredUntil returns the time of the newest call of Bar; zero if there was none.
func barredUntil(dir string) time.Time {
	info, err := os.Stat(filepath.Join(Folder(dir), barName))
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// copy copies a session's transcript if it has changed.
func (k *Keeper) copy(ctx context.Context, index *transcript.Index, name key, s *session) error {
	format, err := transcript.Named(s.agent)
	if err != nil {
		return nil // the agent has no transcripts
	}
	path := s.path
	if format.Continuation != nil {
		path = format.Continuation(path)
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || s.tried.Equal(info.ModTime()) {
		return nil
	}
	if !s.ended && time.Since(info.ModTime()) < settled {
		return nil
	}
	s.tried = info.ModTime()
	folder := Of(k.Dir, name.project, name.session)
	if names, err := disk.ReadDir(folder); err == nil && len(names) == 0 {
		return nil // the copy was removed
	}
	saved, err := os.Stat(File(k.Dir, name.project, name.session, path))
	if err == nil && saved.ModTime().Equal(savedTime(info)) {
		return nil
	}
	files, err := index.Of(ctx, format, name.session, path)
	if err != nil {
		return err
	}
	return save(ctx, folder, path, files)
}

// read reads the new events of the log.
func (k *Keeper) read(ctx context.Context) error {
	if k.sessions == nil {
		k.sessions, k.stopped = map[key]*session{}, map[string]uint64{}
	}
	paused, resumed, forgotten := events.TypeOf[events.RecordingPaused](), events.TypeOf[events.RecordingResumed](), events.TypeOf[events.LogForgotten]()
	sel := events.Selector{}.Of(events.TypeOf[events.SessionStarted](), events.TypeOf[events.SessionEnded](), paused, resumed, forgotten)
	for e, err := range k.Log.Events(ctx, events.Span{After: k.seq}, sel...) {
		if errors.Is(err, journal.ErrHole) {
			continue // journal verify reports it
		}
		if err != nil && !errors.Is(err, events.ErrMalformed) {
			return err
		}
		k.seq = e.Seq
		name := key{e.Project, e.Session}
		switch ev, _ := events.Open(e); ev := ev.(type) {
		case events.SessionStarted:
			k.started(e, ev)
		case events.SessionEnded:
			if s := k.sessions[name]; s != nil && e.Lane == "" {
				s.ended = true
			}
		case events.RecordingPaused:
			k.stop(e, ev.Everywhere)
		case events.RecordingResumed:
			k.stop(e, ev.Everywhere)
		default: // a removal, or an event that cannot be read
			if e.Type == paused || e.Type == resumed || e.Type == forgotten {
				k.stop(e, true)
			}
		}
	}
	return nil
}

// stop records a pause, a resume or a removal. If all is true, it concerns all projects.
func (k *Keeper) stop(e events.Envelope, all bool) {
	if all {
		k.stopped[""] = e.Seq
	} else {
		k.stopped[e.Project] = e.Seq
	}
}

// started records a start of a session. It leaves out the parts of a session that an import added, which have the transcript of that
// session.
func (k *Keeper) started(e events.Envelope, ev events.SessionStarted) {
	if e.Lane != "" || e.EchoOf != 0 || strings.Contains(e.Session, "~") || ev.Transcript == "" {
		return
	}
	name := key{e.Project, e.Session}
	s := k.sessions[name]
	if s == nil {
		s = &session{}
		k.sessions[name] = s
		if !events.Derived(e.ID) && (ev.Source == "startup" || ev.Source == "clear") {
			s.began, s.at = e.Seq, e.Time()
		}
	}
	s.agent, s.path = e.Agent, ev.Transcript
	s.ended = events.Derived(e.ID) // an imported session has ended
}
