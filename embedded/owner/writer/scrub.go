package writer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"journal/embedded"
	"journal/embedded/copies"
	"journal/journal"
)

// Scrub configures the reading of both copies of the log, which finds damage in one copy while the other is good. The zero value has the
// defaults of an owner.
type Scrub struct {
	Quiet time.Duration // idle time of the owner before a pass; 0 is 20 seconds
	Every time.Duration // time between the end of a pass and the next one; 0 is a week
}

const (
	scrubQuiet = 20 * time.Second
	scrubEvery = 7 * 24 * time.Hour
	scrubRetry = time.Minute // after a pass that failed
)

// Scrubber reads both copies of the log while the owner is idle.
type Scrubber struct {
	Scrub
	Dir     string // of the journal
	Log     *journal.Log
	Head    func() uint64        // returns the newest sequence
	IdleFor func() time.Duration // returns the time since the owner's last request
	Intact  func() bool          // reports whether the lock still guards the directory
	OnError func(error)
}

// Run makes passes until ctx ends. A request stops a pass, which continues when the owner is idle again.
func (s *Scrubber) Run(ctx context.Context) {
	quiet, every := cmp.Or(s.Quiet, scrubQuiet), cmp.Or(s.Every, scrubEvery)
	for {
		wait := max(quiet-s.IdleFor(), quiet/10)
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
	idle := func() bool { return s.IdleFor() >= quiet && s.Intact() }
	if !idle() {
		return context.Canceled
	}
	return copies.Scrub(ctx, s.Dir, embedded.StreamIn(s.Dir, s.Log.Stream()), copies.ScrubOptions{
		Until: s.Head(), Idle: idle,
		Found: func(d copies.Damage) { s.OnError(fmt.Errorf("damage at rest: %s; try: journal repair", d)) },
	})
}
