package rebuild

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math"
	"path/filepath"
	"strings"
	"time"

	"journal/embedded/transcriptcopies"
	"journal/events"
	"journal/journal"
	"journal/journal/disk"
	"journal/journal/forgotten"
	"journal/journal/record"
	"journal/journal/wire"
	"journal/journal/wire/client"
	"journal/journal/worker/runner"
)

// Selection selects the events to remove for good. An event must match every non-empty field.
type Selection struct {
	Session string    // id
	Project string    // key
	Match   string    // text that the event contains
	Before  time.Time // the time of the event, by its reporter's clock, is before this one
	// Secrets selects the secrets in events instead of whole events. Options.Redact replaces these secrets.
	Secrets bool
}

// Selects reports whether an event is selected. Events about the log itself are never selected.
func (s Selection) Selects(e events.Envelope) bool {
	return !IsAboutLog(e.Type) &&
		(s.Session == "" || e.Session == s.Session) &&
		(s.Project == "" || e.Project == s.Project) &&
		(s.Before.IsZero() || e.Time().Before(s.Before)) &&
		(s.Match == "" || Mentions(e, s.Match))
}

// Reason returns a text with the names of the fields that are set, without their values.
func (s Selection) Reason() string {
	var names []string
	for _, field := range []struct {
		name string
		used bool
	}{{"session", s.Session != ""}, {"project", s.Project != ""}, {"match", s.Match != ""}, {"before", !s.Before.IsZero()}, {"secrets", s.Secrets}} {
		if field.used {
			names = append(names, field.name)
		}
	}
	return "asked for by " + strings.Join(names, ", ")
}

// Transcripts returns the paths of the copies of transcripts below a journal's directory that are selected, each as a whole.
func (s Selection) Transcripts(ctx context.Context, dir string) (paths []string, err error) {
	all, err := transcriptcopies.All(dir)
	for _, c := range all {
		if s.Session != "" && wire.Token(s.Session) != c.Session || s.Project != "" && wire.Token(s.Project) != c.Project {
			continue
		}
		found, unread := true, error(nil)
		if s.Match != "" || !s.Before.IsZero() || s.Secrets {
			found, unread = c.Holds(ctx, s.Match, s.Before, s.Secrets)
		}
		err = errors.Join(err, unread)
		if found {
			paths = append(paths, c.Path)
		}
	}
	return paths, err
}

// Runs returns the folders of runs below a journal's directory that are selected, each as a whole, including running ones.
func (s Selection) Runs(dir string) (dirs []string, err error) {
	entries, err := disk.ReadDir(runner.Dir(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		run := filepath.Join(runner.Dir(dir), e.Name())
		spec, bad := runner.Load(run)
		switch {
		case bad != nil && (s.Session != "" || s.Project != ""), // whose it is cannot be read
			s.Session != "" && spec.Session != s.Session,
			s.Project != "" && client.ProjectKey(spec.Root) != s.Project,
			!s.Before.IsZero() && !runner.Changed(e).Before(s.Before):
			continue
		}
		if s.Match != "" {
			found, unread := runner.Holds(run, s.Match)
			err = errors.Join(err, unread)
			if !found {
				continue
			}
		}
		dirs = append(dirs, run)
	}
	return dirs, err
}

// forgettable returns the event in a record. If it cannot be read, the result is what the subject names, with the bytes of the record as
// its body, and too late for Selection.Before. ok is false for a message that is no event, and for events about the log.
func forgettable(r record.Record) (e events.Envelope, ok bool) {
	e, err := events.Decode(r.Data, r.Seq)
	if err != nil {
		s, named := journal.SubjectOf(r)
		if !named || r.ID == "" {
			return e, false
		}
		e = events.Envelope{Meta: events.Meta{Seq: r.Seq, Project: s.Project, Session: s.Session, Type: s.Type, At: math.MaxInt64}, Body: r.Data}
	}
	return e, !IsAboutLog(e.Type)
}

// SelectedEvents describes the selected events of one session, for a person to check before they are removed.
type SelectedEvents struct {
	Project, Session string
	Events           int
	First            events.Envelope // the first selected event
}

// Collect returns the selected events of a log, by session in log order, and their number. It adds them to digests, and also the sessions
// that lose all of their events. The error is journal.ErrHole for a damaged log, from which nothing can be removed.
func (s Selection) Collect(ctx context.Context, log *journal.Log, digests *forgotten.Set) (all []SelectedEvents, n int, err error) {
	index := map[[2]string]int{} // index in all, by project and session
	stays := map[string]bool{}   // sessions that keep an event
	for e, err := range log.PastMalformed(nil).Events(ctx, events.Span{}, events.Selector{Project: s.Project, Session: s.Session}) {
		readable := err == nil
		if !readable && !errors.Is(err, events.ErrMalformed) {
			return all, n, err
		}
		if !readable {
			e.At = math.MaxInt64 // as forgettable does
		}
		if !s.Selects(e) {
			stays[e.Session] = stays[e.Session] || !IsAboutLog(e.Type)
			continue
		}
		if readable {
			digests.AddEvent(e)
		}
		n++
		key := [2]string{e.Project, e.Session}
		i, known := index[key]
		if !known {
			i = len(all)
			index[key], all = i, append(all, SelectedEvents{Project: e.Project, Session: e.Session, First: e})
		}
		all[i].Events++
	}
	if s.Project != "" && n > 0 { // the events of other projects were not read
		subjects, err := log.Subjects(ctx, events.Selector{Session: s.Session})
		if err != nil {
			return all, n, err
		}
		for _, subject := range subjects {
			stays[subject.Session] = stays[subject.Session] || subject.Project != s.Project && !IsAboutLog(subject.Type)
		}
	}
	for _, v := range all {
		if !stays[v.Session] && v.Session != events.None {
			digests.AddSession(v.Session)
		}
	}
	return all, n, nil
}

// Mentions reports whether an event contains a text in its stored bytes, its texts, or the names of its session, lane and project.
func Mentions(e events.Envelope, text string) bool {
	if bytes.Contains(e.Body, []byte(text)) || bytes.Contains(e.More, []byte(text)) ||
		strings.Contains(e.Session, text) || strings.Contains(e.Lane, text) || strings.Contains(e.Project, text) {
		return true
	}
	found := false
	_, err := events.MapEnvelope(e, func(s string) string {
		found = found || strings.Contains(s, text)
		return s
	})
	return err == nil && found
}
