package writer

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"journal/embedded"
	"journal/embedded/copies"
	"journal/embedded/store/archive"
	"journal/events"
	"journal/events/text"
	"journal/journal"
)

// Scrub configures the reading of both copies of the log, which finds damage in one copy while the other is good. The zero value has the
// defaults of an owner.
type Scrub struct {
	Quiet time.Duration // idle time of the owner before a pass; 0 is 20 seconds
	Every time.Duration // time between the end of a pass and the next one; 0 is a week
	Rate  int           // maximum bytes per second; 0 is copies.ScrubRate
}

const (
	scrubQuiet = 20 * time.Second
	scrubEvery = 7 * 24 * time.Hour
	scrubRetry = time.Minute // after a pass that failed
)

// Activity reports the idle time of an owner.
type Activity interface {
	// IdleFor returns the time since the last request.
	IdleFor() time.Duration
	// Interrupt sets the function that every request calls from now on to stop idle work, nil for none.
	Interrupt(stop *context.CancelFunc)
}

// Scrubber reads both copies of the log while the owner is idle.
type Scrubber struct {
	Scrub
	Owner   Activity
	Dir     string // of the journal
	Log     *journal.Log
	Head    func() uint64 // returns the newest sequence
	Intact  func() bool   // reports whether the lock still guards the directory
	OnError func(error)
}

// Run makes passes until ctx ends. A request stops a pass at once; it continues when the owner is idle again.
func (s *Scrubber) Run(ctx context.Context) {
	quiet, every := cmp.Or(s.Quiet, scrubQuiet), cmp.Or(s.Every, scrubEvery)
	for {
		wait := max(quiet-s.Owner.IdleFor(), quiet/10)
		if due := time.Until(copies.LoadState(s.Dir).Done.Add(every)); due > wait {
			wait = min(due, every) // a clock that was set back must not stop the scrubber for ever
		}
		pauseFor(ctx, wait, nil)
		if ctx.Err() != nil {
			return
		}
		if err := s.pass(ctx, quiet); err != nil && !errors.Is(err, context.Canceled) {
			s.OnError(err)
			pauseFor(ctx, scrubRetry, nil)
		}
	}
}

// pass begins or continues a pass. It returns context.Canceled if a request stops it, if the owner is not idle, or if the lock no longer
// guards the directory.
func (s *Scrubber) pass(ctx context.Context, quiet time.Duration) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s.Owner.Interrupt(&stop)
	defer s.Owner.Interrupt(nil)
	if s.Owner.IdleFor() < quiet || !s.Intact() {
		return context.Canceled
	}
	return copies.Scrub(ctx, s.Dir, embedded.StreamIn(s.Dir, s.Log.Stream()), copies.ScrubOptions{
		Rate: s.Rate, Until: s.Head(),
		Found: func(d copies.Damage) { s.OnError(fmt.Errorf("damage at rest: %s; try: journal repair", d)) },
	})
}

// MissingRecords compares the log in a directory with the record of its last stop or, if that stop was not clean, with the log's second
// copy, before anything is appended (ADR-0012 rule 7). Nothing can be deleted from a log, so it must begin with the first event and hold
// every event. It must end where a clean stop left it, or else not before the second copy: no sequence may be used twice. reason describes
// the difference, empty if there is none. If the second copy cannot be read, onError gets that error.
func MissingRecords(ctx context.Context, log *journal.Log, st journal.Stats, dir string, lastStop embedded.StoreState, onError func(error)) (reason string, err error) {
	switch {
	case st.Last > 0 && st.First != 1:
		return fmt.Sprintf("it begins with #%d", st.First), nil
	case st.Deleted > 0:
		return text.Counted(st.Deleted, "event of it is", "events of it are") + " gone", nil
	case st.Events != st.Last:
		return fmt.Sprintf("it holds %s up to #%d", text.Counted(st.Events, "event"), st.Last), nil
	case lastStop.Clean && st.Last != lastStop.Seq && lastStop.Seq > 0:
		return fmt.Sprintf("it ends with #%d, but ended with #%d when it was closed", st.Last, lastStop.Seq), nil
	case lastStop.Clean && lastStop.Head != "":
		hash, err := HashOf(ctx, log, lastStop.Seq)
		if err != nil {
			return "", err
		}
		if hash != lastStop.Head {
			reason = fmt.Sprintf("#%d has changed since the store was closed", lastStop.Seq)
		}
		return reason, nil
	case lastStop.Clean:
		return "", nil
	}
	copied, err := archive.Last(ctx, ArchivePath(dir))
	if err != nil {
		onError(fmt.Errorf("read the end of the second copy: %w", err)) // journal verify reports it
		return "", nil
	}
	if copied > st.Last {
		reason = fmt.Sprintf("it ends with #%d, and the second copy with #%d", st.Last, copied)
	}
	return reason, nil
}

// HashOf returns the hexadecimal SHA-256 of the data of the record at a sequence, empty if there is none.
func HashOf(ctx context.Context, log *journal.Log, seq uint64) (hash string, err error) {
	if seq == 0 {
		return "", nil
	}
	for m, err := range log.Stored(ctx, events.Span{After: seq - 1, Until: seq}) {
		if errors.Is(err, journal.ErrHole) {
			return "", nil
		}
		if err != nil {
			return "", err
		}
		sum := sha256.Sum256(m.Data)
		hash = hex.EncodeToString(sum[:])
	}
	return hash, nil
}
