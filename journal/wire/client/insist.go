package client

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"journal/journal/wire"
	"journal/journal/wire/sock"
)

const (
	// insistWait bounds how long an appender whom the spool fails waits for the owner: a
	// hook has 1.2 s in all.
	insistWait = 800 * time.Millisecond
	// insistPoll is how often it asks meanwhile.
	insistPoll = 5 * time.Millisecond
)

// insist hands a request that the spool does not take to the owner after all, which is
// started when there is none and takes what waits in the spool before, as far as it can.
// On a full disk no owner can start, and one that was asked has said what it can. The error
// is ErrUndelivered, with what was in the way everywhere.
func (a *Appender) insist(ctx context.Context, r wire.Request, wait time.Duration, direct, unsaved error) (Receipt, error) {
	undelivered := func() (Receipt, error) {
		return Receipt{}, fmt.Errorf("%w; before that: %w", unsaved, direct)
	}
	start, budget := a.options.Start, max(insistWait, wait)
	if full(unsaved) {
		if !errors.Is(direct, errBehind) && !errors.Is(direct, errHung) {
			return undelivered()
		}
		start, budget = nil, appendWait
	}
	ctx, cancel := context.WithTimeout(ctx, a.options.Pace(budget))
	defer cancel()
	for {
		receipt, err := a.deliver(ctx, r, 0)
		if err == nil || errors.Is(err, ErrRefused) {
			return receipt, err
		}
		if ctx.Err() == nil { // else what was said before says more
			direct = err
		}
		if start != nil {
			if err := start(a.dir); err != nil {
				direct = err
				return undelivered()
			}
		} else if errors.Is(err, sock.ErrNoOwner) {
			return undelivered() // nobody here starts one
		}
		select {
		case <-ctx.Done():
			return undelivered()
		case <-time.After(insistPoll):
		}
	}
}

// full says whether there was no room for a file.
func full(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }
