package service

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"journal/embedded/store/ownership"
	"journal/journal"
	"journal/journal/wire/sock"
)

// poll is the interval of checks for an owner that starts or leaves.
const poll = 5 * time.Millisecond

// openWait bounds the wait for an owner to start. An owner reads a store that was not closed cleanly as a whole, and the store may hold
// millions of events.
const openWait = 30 * time.Second

// Connect connects to the owner of the directory, and waits up to openWait for an owner that is starting. If nobody owns the directory it
// calls start, and again if the started owner ends before it answers. If nobody owns the directory and start is nil, the error is
// sock.ErrNoOwner.
func Connect(ctx context.Context, dir string, start func(dir string) error) (*nats.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, openWait)
	defer cancel()
	for started := false; ; {
		nc, err := journal.Connect(ctx, dir)
		if err == nil || !errors.Is(err, sock.ErrNoOwner) {
			return nc, err
		}
		held := ownership.Held(dir)
		switch {
		case start == nil && !held:
			return nil, err
		case start != nil && (!started || !held):
			if err := start(dir); err != nil {
				return nil, err
			}
			started = true
		}
		if !pause(ctx) {
			return nil, fmt.Errorf("the owner of %s did not come up within %v", dir, openWait)
		}
	}
}

// connectWhileHeld connects to the owner. If a process holds the lock but does not listen yet, it waits until ctx ends. The error is
// sock.ErrNoOwner if there is no owner, or none listens by then.
func connectWhileHeld(ctx context.Context, dir string) (*nats.Conn, error) {
	var noOwner error
	for {
		nc, err := journal.Connect(ctx, dir)
		switch {
		case errors.Is(err, sock.ErrNoOwner):
			noOwner = err
		case noOwner != nil && errors.Is(err, context.DeadlineExceeded): // no time was left for this try
			return nil, noOwner
		default:
			return nc, err
		}
		if !ownership.Held(dir) || !pause(ctx) {
			return nil, noOwner
		}
	}
}

// pause waits for the next check. It returns false when ctx ends.
func pause(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(poll):
		return true
	}
}
