package owner

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"journal/events"
	"journal/journal"
	"journal/journal/client"
	"journal/journal/disk"
	"journal/journal/transcript"
)

// tailBytes is how much before the offset is compared, to know a file again.
const tailBytes = 256

// reading is how far a transcript was read. A path from an agent may name anything;
// only regular files are read, and what was rewritten is begun again.
type reading struct {
	agent  string
	format *transcript.Format // nil: there is nothing to read
	path   string

	watcher transcript.Watcher
	info    fs.FileInfo // of the file that was read
	offset  int64
	endless int64     // so much behind the offset is the beginning of one row
	tail    []byte    // the last bytes before the offset
	passed  int64     // what lies before is never read, not even when the file is rewritten
	since   time.Time // rows that are older are another session's; zero for none
	paused  bool
	steps   []transcript.Step // not stored yet
}

// begin starts with the rows from an offset on.
func (r *reading) begin(f *os.File, info fs.FileInfo, offset int64) error {
	r.watcher = r.format.Watch()
	r.watcher.Since(r.since)
	return r.at(f, info, offset)
}

// at notes the place up to which the file was read.
func (r *reading) at(f *os.File, info fs.FileInfo, offset int64) (err error) {
	r.info, r.offset, r.endless = info, offset, 0
	r.tail, err = tailOf(f, offset)
	return err
}

// tailOf reads the last bytes before an offset.
func tailOf(f *os.File, offset int64) ([]byte, error) {
	b := make([]byte, min(offset, tailBytes))
	_, err := f.ReadAt(b, offset-int64(len(b)))
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return b, err
}

// same says whether a file is the one that was read, with what was read of it.
func (r *reading) same(f *os.File, info fs.FileInfo) bool {
	if r.info == nil || !os.SameFile(r.info, info) || info.Size() < r.offset {
		return false
	}
	tail, err := tailOf(f, r.offset)
	return err == nil && bytes.Equal(tail, r.tail)
}

// follow reads the transcript of a session on for a step, and stores what no hook
// tells. The caller has one's turn.
func (o *Owner) follow(ctx context.Context, one *follower, deadline time.Time) (more bool, err error) {
	o.writer.mu.Lock()
	moved, barred := one.moved, one.barred
	one.moved, one.barred = false, false
	o.writer.mu.Unlock()
	r := &one.file
	if moved {
		bar, err := o.find(ctx, one)
		if err != nil {
			o.again(one, true, barred)
			return false, err
		}
		barred = barred || bar
	}
	if r.format == nil {
		return false, nil
	}
	if r.paused = client.Paused(o.lock.Dir(), one.target.Project); r.paused {
		o.again(one, false, true)
		return false, nil
	}
	f, info, err := disk.Open(r.path)
	if err != nil {
		o.again(one, false, barred)
		if errors.Is(err, disk.ErrNotRegular) || errors.Is(err, fs.ErrPermission) {
			err = nil // the agent's own affair
		}
		return false, err
	}
	defer f.Close()
	if barred || r.passed > 0 && !r.same(f, info) {
		return false, o.pass(ctx, one, f, info)
	}
	if !r.same(f, info) {
		if err := r.begin(f, info, 0); err != nil {
			return false, err
		}
	}
	if more, err = r.step(f, info, deadline); err != nil {
		return false, err
	}
	return more, o.tell(ctx, one)
}

// again leaves to the next reading what this one could not do.
func (o *Owner) again(one *follower, moved, barred bool) {
	o.writer.mu.Lock()
	defer o.writer.mu.Unlock()
	one.moved, one.barred = one.moved || moved, one.barred || barred
}

// step reads whole rows: up to stepBytes, and until a deadline that is not zero.
func (r *reading) step(f *os.File, info fs.FileInfo, deadline time.Time) (more bool, err error) {
	left := info.Size() - r.offset
	switch {
	case left <= r.endless:
		return false, nil
	case r.endless > 0 && !deadline.IsZero():
		return true, nil
	case r.endless > 0:
		return r.long(f, info)
	}
	b := make([]byte, min(left, stepBytes))
	n, err := f.ReadAt(b, r.offset)
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	b = b[:n]
	read := 0
	for {
		end := bytes.IndexByte(b[read:], '\n')
		if end < 0 {
			break
		}
		row := bytes.TrimSpace(b[read : read+end])
		read += end + 1
		r.steps = append(r.steps, r.watcher.Take(row)...)
		if !deadline.IsZero() && time.Now().After(deadline) {
			break
		}
	}
	if read == 0 {
		if n == stepBytes {
			r.endless = stepBytes
		}
		return n == stepBytes, nil
	}
	if err := r.at(f, info, r.offset+int64(read)); err != nil {
		return false, err
	}
	return int64(read) < left, nil
}

// long looks for the end of a row that is longer than a step, and reads it.
func (r *reading) long(f *os.File, info fs.FileInfo) (more bool, err error) {
	b := make([]byte, stepBytes)
	n, err := f.ReadAt(b, r.offset+r.endless)
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	end := bytes.IndexByte(b[:n], '\n')
	if end < 0 {
		r.endless += int64(n)
		return n == stepBytes, nil
	}
	size := r.endless + int64(end) + 1
	if row, err := r.format.Row(io.NewSectionReader(f, r.offset, size)); err == nil {
		r.steps = append(r.steps, r.watcher.Take(row)...)
	}
	err = r.at(f, info, r.offset+size)
	return r.offset < info.Size(), err
}

// pass begins at the end of the file, and records that: what lies before must not be
// read by another owner either.
func (o *Owner) pass(ctx context.Context, one *follower, f *os.File, info fs.FileInfo) error {
	r := &one.file
	if err := r.begin(f, info, info.Size()); err != nil {
		o.again(one, false, true)
		return err
	}
	r.passed, r.steps = r.offset, nil
	ev := events.TranscriptPassed{Path: r.path, Offset: r.offset, Digest: digestOf(r.tail)}
	if err := o.recordNow(ctx, one.target, r.agent, ev); err != nil {
		o.again(one, false, true)
		return err
	}
	return nil
}

// find finds in the log where a session's transcript is, and from where on it is read:
// after what was passed, else from its beginning, when the session has been recorded
// since. bar says that none of what the file holds now may be read.
func (o *Owner) find(ctx context.Context, one *follower) (bar bool, err error) {
	t, r := one.target, &one.file
	var first, start events.SessionStarted
	var passed events.TranscriptPassed
	var began, passedAt uint64
	var at time.Time
	sel := func(name events.Type) events.Selector {
		return events.Selector{Project: t.Project, Session: t.Session, Type: name}
	}
	for e, err := range o.log.Events(ctx, events.Span{}, sel(events.TypeOf[events.SessionStarted]()), sel(events.TypeOf[events.TranscriptPassed]())) {
		if errors.Is(err, journal.ErrHole) || errors.Is(err, events.ErrMalformed) {
			return true, nil // nobody knows what was passed
		}
		if err != nil {
			return false, err
		}
		ev, err := events.Open(e)
		if err != nil || e.Lane != "" || e.EchoOf != 0 {
			continue // for verify
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
	if start.Transcript == r.path && r.format != nil {
		return false, nil // a resume of what is followed
	}
	format, err := transcript.Of(r.agent)
	if err != nil || format.Watch == nil || !filepath.IsAbs(start.Transcript) {
		r.format, r.path = nil, ""
		return false, nil
	}
	*r = reading{agent: r.agent, format: format, path: start.Transcript}
	if passed.Path != r.path {
		passed, passedAt = events.TranscriptPassed{}, 0
	}
	stopped, err := o.stopped(ctx, t.Project)
	switch {
	case err != nil:
		return false, err
	case stopped > max(began, passedAt):
		return true, nil // nobody looked when the recording went on, or something was removed
	case passedAt > 0:
		return false, r.resume(passed)
	case first.Source == "startup" || first.Source == "clear":
		return false, nil
	}
	// What was said before the session was recorded is for an import, and what a fork
	// has from its parent for the parent.
	f, info, err := disk.Open(r.path)
	if err != nil {
		r.since = at // agents write it late, and begin with what they took over
		return false, nil
	}
	defer f.Close()
	return info.Size() > 0, nil
}

// resume goes on where rows were passed. A file that is not the one of that time is
// passed again when it is read.
func (r *reading) resume(p events.TranscriptPassed) error {
	r.passed = p.Offset
	f, info, err := disk.Open(r.path)
	if err != nil {
		return nil
	}
	defer f.Close()
	tail, err := tailOf(f, min(p.Offset, info.Size()))
	if err != nil || info.Size() < p.Offset || digestOf(tail) != p.Digest {
		return nil
	}
	return r.begin(f, info, p.Offset)
}

// stopped gives the place of the newest event by which a person stopped the recording
// of a project, or let it go on, or that they had removed: what they removed must not be
// read again. 0 is none.
func (o *Owner) stopped(ctx context.Context, project string) (seq uint64, err error) {
	var sel []events.Selector
	for _, name := range []events.Type{
		events.TypeOf[events.RecordingPaused](), events.TypeOf[events.RecordingResumed](), events.TypeOf[events.LogForgotten](),
	} {
		sel = append(sel, events.Selector{Type: name})
	}
	for e, err := range o.log.Events(ctx, events.Span{}, sel...) {
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
