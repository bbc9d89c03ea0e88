package service

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"

	"journal/embedded/ownership"
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
