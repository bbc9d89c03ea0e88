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

// stopWait bounds the waiting for an owner to leave.
const stopWait = 10 * time.Second

// ErrStays is returned when an owner was asked to leave and does not.
var ErrStays = errors.New("the owner does not leave")

// TakeOver gets the lock of the directory. An owner that runs is asked to leave.
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

// Succeed gets the lock of the directory after an owner of an older build, which is asked
// to make way: it ends what it is at, and what comes meanwhile waits in the spool. The
// lock is nil when there is nothing to succeed.
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
		err = ask(ctx, nc, wire.Stop, nil, &reply) // it is of a time before builds were told
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
		// An owner that meets a full spool as it leaves comes back for it.
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

// askToStop returns when the owner has the request, or leaves already.
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
