package copies

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"journal/embedded"
	"journal/embedded/store/scrub"
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
