package copies

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"journal/embedded"
	"journal/embedded/store/archive"
	"journal/embedded/store/scrub"
	"journal/events"
	"journal/journal"
)

// Scrub says when and how fast both copies of the log are read, to find damage while one of them is good. The zero value
// is what an owner should do.
type Scrub struct {
	Quiet time.Duration // nobody asked anything for so long; 0 is scrubQuiet
	Every time.Duration // between the ends of two passes; 0 is scrubEvery
	Rate  int           // bytes a second at most; 0 is scrub.DefaultRate
}

const (
	scrubQuiet = 20 * time.Second
	scrubEvery = 7 * 24 * time.Hour
	scrubRetry = time.Minute // after a pass that failed
)

// Asked says when an owner was asked something last.
type Asked interface {
	// Unasked is how long nobody has asked anything.
	Unasked() time.Duration
	// Interrupt has whoever asks next stop what only runs while nobody does; nil when nothing does.
	Interrupt(stop *context.CancelFunc)
}

// Scrubber reads both copies of the log while nobody asks anything.
type Scrubber struct {
	Scrub
	Asked   Asked
	Dir     string // of the journal
	Log     *journal.Log
	Head    func() uint64
	Intact  func() bool // the directory is still ours
	Trouble func(error)
}

// Run reads until ctx ends. Who asks something stops a pass at once; it goes on later.
func (s *Scrubber) Run(ctx context.Context) {
	quiet, every := cmp.Or(s.Quiet, scrubQuiet), cmp.Or(s.Every, scrubEvery)
	for {
		wait := max(quiet-s.Asked.Unasked(), quiet/10)
		if due := time.Until(scrub.Load(s.Dir).Done.Add(every)); due > wait {
			wait = min(due, every) // a clock that was set back must not forbid it for ever
		}
		pause(ctx, wait, nil)
		if ctx.Err() != nil {
			return
		}
		switch err := s.pass(ctx, quiet); {
		case err == nil, errors.Is(err, context.Canceled):
		default:
			s.Trouble(err)
			pause(ctx, scrubRetry, nil)
		}
	}
}

// pass goes on with a pass, unless somebody asked something a moment ago.
func (s *Scrubber) pass(ctx context.Context, quiet time.Duration) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s.Asked.Interrupt(&stop)
	defer s.Asked.Interrupt(nil)
	if s.Asked.Unasked() < quiet || !s.Intact() {
		return context.Canceled
	}
	return scrub.Pass(ctx, s.Dir, embedded.StreamIn(s.Dir, s.Log.Stream()), scrub.Options{
		Rate: s.Rate, Until: s.Head(),
		Found: func(d scrub.Damage) { s.Trouble(fmt.Errorf("damage at rest: %s; try: journal repair", d)) },
	})
}

// Missing compares the log in a directory with what is remembered of it, before anything is
// appended (ADR-0012 rule 7): nobody can delete from it, so it begins with the first
// event, holds every one, and reaches as far as the last clean stop and the second
// copy say. It gives the reason why the log is not that one, empty when it is: a sequence that was given
// away once must not be given away again. trouble hears of a second copy that cannot be read.
func Missing(ctx context.Context, log *journal.Log, st journal.Stats, dir string, opening embedded.Opening, trouble func(error)) (reason string, err error) {
	switch {
	case st.Last > 0 && st.First != 1:
		return fmt.Sprintf("it begins with #%d", st.First), nil
	case st.Deleted > 0:
		return fmt.Sprintf("%d events of it are gone", st.Deleted), nil
	case st.Events != st.Last:
		return fmt.Sprintf("it holds %d events up to #%d", st.Events, st.Last), nil
	case opening.Clean && st.Last != opening.Seq && opening.Seq > 0:
		return fmt.Sprintf("it ends with #%d, and did with #%d when it was closed", st.Last, opening.Seq), nil
	case opening.Clean && opening.Head != "":
		hash, err := HashOf(ctx, log, opening.Seq)
		if err == nil && hash != opening.Head {
			reason = fmt.Sprintf("#%d is not what it was when the store was closed", opening.Seq)
		}
		return reason, err
	case opening.Clean:
		return "", nil
	}
	copied, err := archive.Last(ctx, Path(dir))
	if err != nil {
		trouble(fmt.Errorf("second copy: %w", err)) // for verify
		return "", nil
	}
	if copied > st.Last {
		reason = fmt.Sprintf("it ends with #%d, and the second copy with #%d", st.Last, copied)
	}
	return reason, nil
}

// HashOf gives the digest of what is stored at a sequence, empty for nothing.
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
