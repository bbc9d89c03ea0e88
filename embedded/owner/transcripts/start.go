package transcripts

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"journal/events"
	"journal/events/text"
	"journal/journal"
	"journal/journal/agents/transcript"
	"journal/journal/disk"
)

// bar marks the content of a transcript as not to be read: all of it, or with lifted up
// to its present end. The caller holds the writer's lock.
func (one *follower) bar(lifted bool) {
	one.barred, one.end = true, nil
	if !lifted || one.path == "" {
		return
	}
	if info, err := os.Stat(one.path); err == nil {
		one.end = info
	}
}

// pass begins at the end of the file, and records that, so that no other owner reads what
// is before.
func (f *Reader) pass(ctx context.Context, one *follower, file *os.File, info fs.FileInfo) error {
	r := &one.file
	f.writer.Lock()
	offset := info.Size()
	if one.end != nil && os.SameFile(one.end, info) && (r.info == nil || r.same(file, info)) {
		offset = min(offset, one.end.Size())
	}
	clear(one.lanes) // their transcripts may be from the pause too
	f.writer.Unlock()
	err := r.begin(file, info, offset)
	if err == nil {
		r.passed, r.steps = r.offset, nil
		ev := events.TranscriptPassed{Path: r.path, Offset: r.offset, Digest: text.Digest(r.tail)}
		err = f.writer.Record(ctx, one.target, r.agent, events.NewID(), ev)
	}
	if err != nil {
		f.again(one, false, true)
	}
	return err
}

// find finds in the log where a session's transcript is, and from where it is read: after
// what was passed, else from its beginning if the session has been recorded since then. bar
// reports that the present content of the file must not be read.
func (f *Reader) find(ctx context.Context, one *follower) (bar bool, err error) {
	t, r := one.target, &one.file
	var first, start events.SessionStarted
	var passed events.TranscriptPassed
	var began, passedAt uint64
	var at time.Time
	sel := events.Selector{Project: t.Project, Session: t.Session}.Of(events.TypeOf[events.SessionStarted](), events.TypeOf[events.TranscriptPassed]())
	for e, err := range f.log.Events(ctx, events.Span{}, sel...) {
		if errors.Is(err, journal.ErrHole) || errors.Is(err, events.ErrMalformed) {
			return true, nil // what was passed is not known
		}
		if err != nil {
			return false, err
		}
		ev, err := events.Open(e)
		if err != nil || e.Lane != "" || e.EchoOf != 0 {
			continue // journal verify reports it
		}
		switch ev := ev.(type) {
		case events.SessionStarted:
			if began == 0 {
				began, first, at = e.Seq, ev, time.Unix(0, e.At)
			}
			if ev.Transcript != "" {
				start, r.agent = ev, e.Agent
			}
		case events.TranscriptPassed:
			passed, passedAt = ev, e.Seq
		}
	}
	format, err := transcript.Of(r.agent)
	if err == nil && format.Goes != nil {
		start.Transcript = format.Goes(start.Transcript)
	}
	if start.Transcript == r.path && r.format != nil {
		return false, nil // it resumes a followed session
	}
	if err != nil || format.Watch == nil || !filepath.IsAbs(start.Transcript) {
		r.format, r.path = nil, ""
		return false, nil
	}
	*r = reading{agent: r.agent, format: format, path: start.Transcript}
	f.writer.Lock()
	one.path, one.end = r.path, nil
	f.writer.Unlock()
	if passed.Path != r.path {
		passed, passedAt = events.TranscriptPassed{}, 0
	}
	stopped, err := f.stopped(ctx, t.Project)
	switch {
	case err != nil:
		return false, err
	case stopped > max(began, passedAt):
		return true, nil // the end of a pause was missed, or something was removed
	case passedAt > 0:
		return false, r.resume(passed)
	case first.Source == "startup" || first.Source == "clear":
		return false, nil
	}
	// What came before the recording is left to an import, and what a fork has from its
	// parent belongs to the parent.
	file, info, err := disk.Open(r.path)
	if err != nil {
		r.since = at // agents write it late, and begin with what they took over
		return false, nil
	}
	defer file.Close()
	return info.Size() > 0, nil
}

// resume continues where rows were passed. If the file is not the same any more, it is
// passed again when it is read.
func (r *reading) resume(p events.TranscriptPassed) error {
	r.passed = p.Offset
	f, info, err := disk.Open(r.path)
	if err != nil {
		return nil
	}
	defer f.Close()
	tail, err := tailOf(f, min(p.Offset, info.Size()))
	if err != nil || info.Size() < p.Offset || text.Digest(tail) != p.Digest {
		return nil
	}
	return r.begin(f, info, p.Offset)
}

// stopped returns the sequence of the newest pause or resume of a project, or of its newest
// event that a person removed: what was removed must not be read again. 0 is none.
func (f *Reader) stopped(ctx context.Context, project string) (seq uint64, err error) {
	sel := events.Selector{}.Of(events.TypeOf[events.RecordingPaused](), events.TypeOf[events.RecordingResumed](), events.TypeOf[events.LogForgotten]())
	for e, err := range f.log.Events(ctx, events.Span{}, sel...) {
		if err != nil {
			return 0, err
		}
		forgotten := e.Type == events.TypeOf[events.LogForgotten]()
		if p, all := switched(e); all || forgotten || p == project {
			seq = e.Seq
		}
	}
	return seq, nil
}

// switched returns the sequence of the newest pause or resume.
func switched(e events.Envelope) (project string, all bool) {
	ev, err := events.Open(e)
	switch ev := ev.(type) {
	case events.RecordingPaused:
		all = ev.Everywhere
	case events.RecordingResumed:
		all = ev.Everywhere
	}
	return e.Project, all || err != nil
}
