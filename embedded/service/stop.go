package service

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"journal/embedded/store/ownership"
	"journal/journal/wire"
)

// stopWait bounds the wait for an owner to leave.
const stopWait = 10 * time.Second

// ErrStays is returned if an owner was asked to leave and does not.
var ErrStays = errors.New("the owner does not leave")

// TakeOver takes the lock of the directory. A running owner is asked to leave.
func TakeOver(ctx context.Context, dir string) (*ownership.Lock, error) {
	lock, err := ownership.TryLock(dir)
	if !errors.Is(err, ownership.ErrLocked) {
		return lock, err
	}
	if err := Stop(ctx, dir); err != nil {
		return nil, err
	}
	wait, cancel := context.WithTimeout(ctx, stopWait)
	defer cancel()
	return ownership.LockWithin(wait, dir)
}

// Succeed takes the lock of the directory from an owner of an older build, which is asked
// to make way: it finishes its work, and reports wait in the spool meanwhile. The lock is
// nil if there is no such owner.
func Succeed(ctx context.Context, dir string) (*ownership.Lock, error) {
	if !ownership.Outdated(dir) {
		return nil, nil
	}
	nc, err := connectWhileHeld(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer nc.Close()
	m, err := nc.RequestWithContext(ctx, wire.Retire, fmt.Appendf(nil, "%d %d", wire.Version, ownership.Build()))
	var reply wire.Reply
	if err == nil {
		err = wire.Decode(m.Data, &reply)
	}
	if h, holderErr := ownership.ReadHolder(dir); err == nil && reply.Error != "" && holderErr == nil && h.Build == 0 {
		err = ask(ctx, nc, wire.Stop, nil, &reply) // it is too old to know builds
	}
	if err != nil && !errors.Is(err, nats.ErrConnectionClosed) {
		return nil, err
	}
	wait, cancel := context.WithTimeout(ctx, stopWait)
	defer cancel()
	return ownership.LockWithin(wait, dir)
}

// Stop asks the owner of the directory to leave and returns when it has. The error is
// sock.ErrNoOwner when nobody answers, and ErrStays after ten seconds.
func Stop(ctx context.Context, dir string) error {
	ctx, cancel := context.WithTimeout(ctx, stopWait)
	defer cancel()
	for asked := false; ; asked = true {
		if err := askToStop(ctx, dir); err != nil {
			if asked && !ownership.Held(dir) {
				return nil // it left meanwhile
			}
			return err
		}
		// A leaving owner that finds reports in the spool comes back for them.
		again := time.Now().Add(time.Second)
		for time.Now().Before(again) {
			if !ownership.Held(dir) {
				return nil
			}
			if !pause(ctx) {
				return ErrStays
			}
		}
	}
}

// askToStop returns when the owner has the request, or is already leaving.
func askToStop(ctx context.Context, dir string) error {
	nc, err := connectWhileHeld(ctx, dir)
	if err != nil {
		return err
	}
	defer nc.Close()
	var reply wire.Reply
	err = ask(ctx, nc, wire.Stop, nil, &reply)
	if errors.Is(err, nats.ErrConnectionClosed) {
		return nil
	}
	return err
}
