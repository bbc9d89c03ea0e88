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

// poll lies between two looks for an owner that comes up or leaves.
const poll = 5 * time.Millisecond

// openWait bounds the waiting for an owner to come up: a store of millions of events that was not
// closed cleanly is read through.
const openWait = 30 * time.Second

// Connect reaches the owner of the directory, and waits for one that is coming up. When nobody owns
// the directory it calls start, once for each owner that does not come; with a nil start the error
// is sock.ErrNoOwner.
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

// connectWhileHeld connects to the owner; one that holds the lock and does not listen yet is given
// the time of ctx.
func connectWhileHeld(ctx context.Context, dir string) (*nats.Conn, error) {
	for {
		nc, err := journal.Connect(ctx, dir)
		if err == nil || !errors.Is(err, sock.ErrNoOwner) || !ownership.Held(dir) || !pause(ctx) {
			return nc, err
		}
		if late, ok := ctx.Deadline(); ok && time.Until(late) < poll {
			return nil, err // what a last look in no time would say is less
		}
	}
}

// pause waits for the next look, and says no when ctx ends.
func pause(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(poll):
		return true
	}
}

// Start makes an owner of the directory start in the background, this program with the
// arguments owner --dir, as ownership.Start does.
func Start(dir string) error {
	exe, err := ownership.Executable()
	if err != nil {
		return err
	}
	return ownership.Start(dir, exe)
}

// StartSuccessor makes this program start in the background as the owner of a directory,
// in the place of an owner of an older build. It does not wait.
func StartSuccessor(dir string) (started bool, err error) {
	program, err := ownership.Executable()
	if err != nil {
		return false, err
	}
	return ownership.Succeed(dir, program)
}
