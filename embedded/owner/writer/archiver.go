package writer

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"time"

	"journal/embedded/store/archive"
	"journal/embedded/store/ownership"
	"journal/events"
	"journal/journal"
	"journal/journal/record"
)

// Bounds of the archive's delay behind the log (ADR-0012 rule 8). Records are written in groups, so that the syncs of the archive take
// little of the disk's time from those of appends.
const (
	lag   = 500 * time.Millisecond
	group = 256 // events
)

// settle is the part of lag that passes before a copy, unless a whole group waits. Without it the sync of the archive would delay the answer
// to the hook of the first event after a silence, which is stored and synced too.
const settle = 50 * time.Millisecond

// ArchiveWait is the longest time that a stop waits for the archive. The next owner copies the rest.
const ArchiveWait = 5 * time.Second

// sealQuiet is the default silence after which the newest segment is sealed.
const sealQuiet = time.Minute

// archiveRetry is the delay before a retry after an error of the archive.
const archiveRetry = 2 * time.Second

// divergedRetry is the delay before a retry after errDiverged. It is longer than archiveRetry, because only a person can mend the difference.
// The retry reports errDiverged again, so that a later error does not hide it for long.
const divergedRetry = 30 * time.Second

// errDiverged is returned when the log and the archive are not copies of each other. Neither overwrites the other: a person must decide
// which of the two is right.
var errDiverged = errors.New("the log and its second copy differ")

// Archiver copies the log into the archive. Appends only notify it, and its errors never reach them.
type Archiver struct {
	dir         string
	log         *journal.Log
	intact      func() bool // reports whether the lock still guards the directory
	onError     func(error)
	headAtStart uint64             // newest event at the owner's start; until the archive is open, it is assumed to have all events up to this one
	head        atomic.Uint64      // newest known event
	last        atomic.Uint64      // newest synced record of the archive; 0 until it is open
	wake        chan struct{}      // notifies run of a new event
	full        chan struct{}      // notifies run that a whole group is not copied yet
	grown       chan struct{}      // see Grown
	stop        context.CancelFunc // of run
	stopped     chan struct{}      // closed when run has returned
	quiet       time.Duration      // before the newest segment is sealed

	// w is nil until the archive is opened and compared with the log. Only run uses it and, after run has returned, Close.
	w *archive.Writer
}

// NewArchiver returns an Archiver for the archive in dir and the log, which ends at head. quiet is the silence after which the newest
// segment is sealed; 0 is a minute. onError gets the errors.
func NewArchiver(dir string, log *journal.Log, head uint64, quiet time.Duration, intact func() bool, onError func(error)) *Archiver {
	a := &Archiver{
		dir: dir, log: log, intact: intact, onError: func(err error) { onError(copyError(err)) }, headAtStart: head, quiet: cmp.Or(quiet, sealQuiet),
		wake: make(chan struct{}, 1), full: make(chan struct{}, 1), grown: make(chan struct{}, 1), stopped: make(chan struct{}),
	}
	a.Note(head)
	return a
}

// Start makes the archive follow the log until Close.
func (a *Archiver) Start() {
	ctx, stop := context.WithCancel(context.Background())
	a.stop = stop
	Notify(a.wake)
	go a.run(ctx)
}

// ArchivePath returns the directory of the second copy in a journal directory.
func ArchivePath(dir string) string { return filepath.Join(dir, "archive") }

// Note records that an event is stored. It never waits.
func (a *Archiver) Note(seq uint64) {
	if seq <= a.head.Load() {
		return
	}
	a.head.Store(seq)
	Notify(a.wake)
	Notify(a.grown)
	if copied := max(a.headAtStart, a.last.Load()); seq >= copied+group {
		Notify(a.full)
	}
}

// Head returns the sequence of the newest known event.
func (a *Archiver) Head() uint64 { return a.head.Load() }

// Copied returns the sequence of the newest synced record of the archive, 0 until the archive is open.
func (a *Archiver) Copied() uint64 { return a.last.Load() }

// Grown returns a channel that notifies one receiver of new events.
func (a *Archiver) Grown() <-chan struct{} { return a.grown }

// Notify sends to a channel that holds one notification, unless it is full.
func Notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// run copies new events, and seals the newest segment after a silence, until ctx ends.
func (a *Archiver) run(ctx context.Context) {
	defer close(a.stopped)
	// An owner starts because a process waits for it, and opening the archive would take the processor for some milliseconds.
	pauseFor(ctx, lag, a.full)
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.wake:
		case <-a.silence():
			if err := a.seal(); err != nil {
				a.onError(err)
			}
			continue
		}
		pauseFor(ctx, settle, a.full)
		err := a.follow(ctx)
		wait, full := lag-settle, a.full
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			a.onError(err)
			Notify(a.wake)
			wait, full = archiveRetry, nil
			if errors.Is(err, errDiverged) {
				wait = divergedRetry
			}
		}
		pauseFor(ctx, wait, full)
	}
}

// silence returns a channel that fires after the quiet time if the archive is open. It returns nil if there is nothing to seal.
func (a *Archiver) silence() <-chan time.Time {
	if a.w == nil {
		return nil
	}
	return time.After(a.quiet)
}

// seal seals the newest segment and closes the archive. The next event opens it again.
func (a *Archiver) seal() error {
	if !a.intact() {
		return nil // another owner has the directory
	}
	err := a.w.Close()
	a.w = nil
	return err
}

// pauseFor waits until the time is over, ctx ends, or full, which may be nil, has a notification.
func pauseFor(ctx context.Context, d time.Duration, full <-chan struct{}) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-full:
	}
}

// Close stops run, copies the missing events until ctx ends, and seals the archive. Call it after Start. The log must still be readable,
// and nothing may append to it any more.
func (a *Archiver) Close(ctx context.Context) error {
	a.stop()
	<-a.stopped
	if !a.intact() {
		return nil // another owner has the directory
	}
	err := a.follow(ctx)
	if a.w != nil {
		err = errors.Join(err, a.seal())
	}
	if err != nil {
		return copyError(err)
	}
	return nil
}

// copyError returns an error that names the second copy.
func copyError(err error) error { return fmt.Errorf("second copy: %w", err) }

// follow copies the events that the archive lacks, and syncs them.
func (a *Archiver) follow(ctx context.Context) error {
	if !a.intact() {
		return ownership.ErrReplaced
	}
	st, err := a.log.Stats(ctx)
	if err != nil {
		return err
	}
	if err := a.open(ctx, st.Last); err != nil {
		return err
	}
	return a.copy(ctx, st.Last)
}

// open opens the archive, unless it is open. last is the newest sequence of the log. The error is errDiverged if archiveMatches finds a
// difference.
func (a *Archiver) open(ctx context.Context, last uint64) error {
	if a.w != nil {
		return nil
	}
	if err := archiveMatches(ctx, a.dir, a.log, last); err != nil {
		return err
	}
	w, err := archive.Open(a.dir, archive.Options{})
	if _, damaged := errors.AsType[*archive.Damage](err); damaged {
		return fmt.Errorf("%w; try: journal repair", err)
	}
	if err != nil {
		return err
	}
	if d := w.Repaired(); d != nil {
		a.onError(fmt.Errorf("its end was torn by a crash and is written again from the log: %w", d))
	}
	a.w = w
	a.last.Store(w.Last())
	return nil
}

// copy appends the log's messages up to a sequence, and syncs them.
func (a *Archiver) copy(ctx context.Context, until uint64) error {
	if a.w.Last() >= until {
		return nil
	}
	err := a.appendUntil(ctx, until)
	// The messages before an error are kept. After a failed sync the archive is opened again, and copying continues after the last record
	// on disk.
	if syncErr := a.w.Sync(); syncErr != nil {
		_ = a.w.Close() // it returns the same error
		a.w = nil
		return syncErr
	}
	a.last.Store(a.w.Last())
	return err
}

// appendUntil appends the log's messages up to a sequence.
func (a *Archiver) appendUntil(ctx context.Context, until uint64) error {
	for m, err := range a.log.Stored(ctx, events.Span{After: a.w.Last(), Until: until}) {
		if err != nil {
			return err
		}
		if err := a.w.Append(m); err != nil {
			return err
		}
	}
	return nil
}

// archiveMatches compares the archive in dir with a log whose newest sequence is last. The archive must not end after the log, which would
// mean that acknowledged events are lost (ADR-0012 rule 9), and the archive's newest record must be equal to the log's record of that
// sequence. Otherwise the error is errDiverged.
func archiveMatches(ctx context.Context, dir string, log *journal.Log, last uint64) error {
	end, err := archive.Last(ctx, dir)
	if err != nil || end == 0 {
		return err
	}
	if end > last {
		return fmt.Errorf("%w: it holds events up to #%d, the log only up to #%d: acknowledged events are lost from the log; try: journal repair", errDiverged, end, last)
	}
	var copied record.Record
	for r, err := range archive.Read(ctx, dir, end-1) {
		if _, damaged := errors.AsType[*archive.Damage](err); damaged {
			continue // the damage is after the newest record; Open repairs it
		}
		if err != nil {
			return err
		}
		copied = r
	}
	for m, err := range log.Stored(ctx, events.Span{After: end - 1, Until: end}) {
		if err != nil {
			return err
		}
		if m.Subject != copied.Subject || m.ID != copied.ID || !bytes.Equal(m.Data, copied.Data) {
			return fmt.Errorf("%w at #%d; try: journal repair", errDiverged, end)
		}
	}
	return nil
}
