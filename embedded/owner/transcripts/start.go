package transcripts

import (
	"cmp"
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
	"journal/projections"
)

// exclude keeps content of a transcript from being read: the present content if lifted is true, because a pause ends; otherwise, or
// if the file cannot be examined, all content up to the next reading. The caller holds the writer's lock.
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
	// sr.end counts only for a file that was not rewritten since: a rewrite moves the rows.
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

// starts holds what the log says about the transcript of a session.
type starts struct {
	source      string    // of the first start
	firstSeq    uint64    // sequence of the first start, 0 for none
	firstAt     time.Time // time of the first start
	agent, path string    // of the newest start that names a transcript
	passed      events.TranscriptSkipped
	passedAt    uint64 // sequence of passed, 0 for none
	damaged     uint64 // sequence of the newest event that cannot be read, 0 for none
}

// startsOf reads the starts of a session. The error is journal.ErrHole for a damaged log.
func (rd *Reader) startsOf(ctx context.Context, t projections.Target) (s starts, err error) {
	sel := events.Selector{Project: t.Project, Session: t.Session}.Of(events.TypeOf[events.SessionStarted](), events.TypeOf[events.TranscriptSkipped]())
	log := rd.log.PastMalformed(nil) // its readers return the errors of unreadable events
	for e, err := range log.Events(ctx, events.Span{}, sel...) {
		if errors.Is(err, events.ErrMalformed) {
			s.damaged = e.Seq
			continue
		}
		if err != nil {
			return s, err
		}
		ev, err := events.Open(e)
		if err != nil || e.Lane != "" || e.EchoOf != 0 {
			continue // an unreadable event, which journal verify reports, one of a subagent, or an echo
		}
		switch ev := ev.(type) {
		case events.SessionStarted:
			if s.firstSeq == 0 {
				s.firstSeq, s.source, s.firstAt = e.Seq, ev.Source, time.Unix(0, e.At)
			}
			if ev.Transcript != "" {
				s.path, s.agent = ev.Transcript, e.Agent
			}
		case events.TranscriptSkipped:
			s.passed, s.passedAt = ev, e.Seq
		}
	}
	return s, nil
}

// setTranscript sets the session's transcript to the one that the log names, and sets the offset at which reading begins: the newest passed
// offset, or the beginning if the log has the session from its beginning. excluded is true if the present content of the file must not be
// read.
func (rd *Reader) setTranscript(ctx context.Context, sr *sessionReader) (excluded bool, err error) {
	r := &sr.file
	s, err := rd.startsOf(ctx, sr.target)
	if errors.Is(err, journal.ErrHole) {
		return true, nil // the passed offset may be in the damage
	}
	if err != nil {
		return false, err
	}
	agent := cmp.Or(s.agent, r.agent)
	format, unknown := transcript.Named(agent)
	if unknown == nil && format.Continuation != nil {
		s.path = format.Continuation(s.path)
	}
	if s.path == r.path && r.format != nil {
		return false, nil // the session was resumed and has the same transcript
	}
	if unknown != nil || format.Watch == nil || !filepath.IsAbs(s.path) {
		r.agent, r.format, r.path = agent, nil, ""
		return false, nil
	}
	*r = reading{agent: agent, format: format, path: s.path}
	rd.writer.Lock()
	sr.path, sr.end = r.path, nil
	rd.writer.Unlock()
	if s.passed.Path != r.path {
		s.passedAt = 0
	}
	stopped, err := rd.lastPause(ctx, sr.target.Project)
	switch {
	case err != nil:
		return false, err
	case stopped > max(s.firstSeq, s.passedAt):
		return true, nil // no owner has passed the rows of a pause, or of removed events
	case s.damaged > max(s.firstSeq, s.passedAt):
		return true, nil // it may be a passed offset
	case s.passedAt > 0:
		return false, r.resume(s.passed)
	case s.source == "startup" || s.source == "clear":
		return false, nil
	}
	// Rows from before the recording are left to an import. The rows that a fork has from its parent belong to the parent.
	file, info, err := disk.Open(r.path)
	if err != nil {
		r.since = s.firstAt // most often the agent has not written the file yet; that of a fork begins with rows of the parent
		return false, nil
	}
	defer file.Close()
	return info.Size() > 0, nil
}

// resume continues reading at a passed offset. If the file has other content before the offset, or cannot be read now, follow passes all of
// it.
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

// lastPause returns the sequence of the newest pause or resume of a project, or of the newest removed event of any project, because removed
// events must not be read again. It returns 0 if there is none. An event that cannot be read counts too.
func (rd *Reader) lastPause(ctx context.Context, project string) (seq uint64, err error) {
	sel := events.Selector{}.Of(events.TypeOf[events.RecordingPaused](), events.TypeOf[events.RecordingResumed](), events.TypeOf[events.LogForgotten]())
	log := rd.log.PastMalformed(nil) // its readers return the errors of unreadable events
	for e, err := range log.Events(ctx, events.Span{}, sel...) {
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
