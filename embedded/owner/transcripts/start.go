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

// exclude keeps content of a transcript from being read: the present content if lifted is true, because a pause ends; otherwise all
// content up to the next reading. The caller holds the writer's lock.
func (sr *sessionReader) exclude(lifted bool) {
	sr.excluded, sr.end = true, nil
	if !lifted || sr.path == "" {
		return
	}
	if info, err := os.Stat(sr.path); err == nil {
		sr.end = info
	}
}

// pass begins reading at the end of the excluded content. It records that offset, so that no later owner reads the bytes
// before it.
func (rd *Reader) pass(ctx context.Context, sr *sessionReader, file *os.File, info fs.FileInfo) error {
	r := &sr.file
	rd.writer.Lock()
	offset := info.Size()
	if sr.end != nil && os.SameFile(sr.end, info) && (r.info == nil || r.same(file, info)) {
		offset = min(offset, sr.end.Size())
	}
	clear(sr.lanes) // their transcripts may be from the pause too
	rd.writer.Unlock()
	if err := r.begin(file, info, offset); err != nil {
		rd.retry(sr, false, true)
		return err
	}
	r.passed, r.steps = r.offset, nil
	ev := events.TranscriptSkipped{Path: r.path, Offset: r.offset, Digest: text.Digest(r.tail)}
	if err := rd.writer.Record(ctx, sr.target, r.agent, events.NewID(), ev); err != nil {
		rd.retry(sr, false, true)
		return err
	}
	return nil
}

// find sets the session's transcript to the one that the log names, and sets the offset at which reading begins: the newest passed offset,
// or the beginning if the log has the session from its beginning. excluded is true if the present content of the file must not be
// read.
func (rd *Reader) find(ctx context.Context, sr *sessionReader) (excluded bool, err error) {
	t, r := sr.target, &sr.file
	var first, start events.SessionStarted
	var passed events.TranscriptSkipped
	var began, passedAt uint64 // sequences of first and passed
	var damaged uint64         // sequence of the newest event that cannot be read
	var begin time.Time        // time of first
	sel := events.Selector{Project: t.Project, Session: t.Session}.Of(events.TypeOf[events.SessionStarted](), events.TypeOf[events.TranscriptSkipped]())
	for e, err := range rd.log.PastMalformed(nil).Events(ctx, events.Span{}, sel...) {
		if errors.Is(err, journal.ErrHole) {
			return true, nil // the passed offset may be in the damage
		}
		if errors.Is(err, events.ErrMalformed) {
			damaged = e.Seq
			continue
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
				began, first, begin = e.Seq, ev, time.Unix(0, e.At)
			}
			if ev.Transcript != "" {
				start, r.agent = ev, e.Agent
			}
		case events.TranscriptSkipped:
			passed, passedAt = ev, e.Seq
		}
	}
	format, unknown := transcript.Named(r.agent)
	if unknown == nil && format.Continuation != nil {
		start.Transcript = format.Continuation(start.Transcript)
	}
	if start.Transcript == r.path && r.format != nil {
		return false, nil // the session was resumed and has the same transcript
	}
	if unknown != nil || format.Watch == nil || !filepath.IsAbs(start.Transcript) {
		r.format, r.path = nil, ""
		return false, nil
	}
	*r = reading{agent: r.agent, format: format, path: start.Transcript}
	rd.writer.Lock()
	sr.path, sr.end = r.path, nil
	rd.writer.Unlock()
	if passed.Path != r.path {
		passed, passedAt = events.TranscriptSkipped{}, 0
	}
	stopped, err := rd.lastPause(ctx, t.Project)
	switch {
	case err != nil:
		return false, err
	case stopped > max(began, passedAt):
		return true, nil // no owner has passed the rows of a pause, or a person removed events
	case damaged > max(began, passedAt):
		return true, nil // it may be a passed offset
	case passedAt > 0:
		return false, r.resume(passed)
	case first.Source == "startup" || first.Source == "clear":
		return false, nil
	}
	// Rows from before the recording are left to an import. The rows that a fork has from its parent belong to the parent.
	file, info, err := disk.Open(r.path)
	if err != nil {
		r.since = begin // the agent has not written the file yet; that of a fork begins with rows of the parent
		return false, nil
	}
	defer file.Close()
	return info.Size() > 0, nil
}

// resume continues reading at a passed offset. If the file has other content before the offset, follow passes all of it.
func (r *reading) resume(p events.TranscriptSkipped) error {
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

// lastPause returns the sequence of the newest pause or resume of a project, or of the newest event that a person removed, because
// removed events must not be read again. It returns 0 if there is none. An event that cannot be read counts too.
func (rd *Reader) lastPause(ctx context.Context, project string) (seq uint64, err error) {
	sel := events.Selector{}.Of(events.TypeOf[events.RecordingPaused](), events.TypeOf[events.RecordingResumed](), events.TypeOf[events.LogForgotten]())
	for e, err := range rd.log.PastMalformed(nil).Events(ctx, events.Span{}, sel...) {
		if errors.Is(err, events.ErrMalformed) {
			seq = e.Seq
			continue
		}
		if err != nil {
			return 0, err
		}
		forgotten := e.Type == events.TypeOf[events.LogForgotten]()
		if p, all := pauseScope(e); all || forgotten || p == project {
			seq = e.Seq
		}
	}
	return seq, nil
}

// pauseScope returns the project of a pause or resume. all is true if it concerns every project.
func pauseScope(e events.Envelope) (project string, all bool) {
	ev, err := events.Open(e)
	switch ev := ev.(type) {
	case events.RecordingPaused:
		all = ev.Everywhere
	case events.RecordingResumed:
		all = ev.Everywhere
	}
	return e.Project, all || err != nil
}
