package service

import (
	"context"
	"errors"
	"runtime/debug"
	"time"

	"journal/embedded"
	"journal/embedded/owner"
	"journal/embedded/ownership"
)

// ownerMemory makes the garbage collector keep the owner small: block caches of the server go only
// when it runs. Beyond a million events the index takes 8 bytes of each, and as much again while it
// grows; without room for it the collector would do nothing else.
const (
	ownerMemory  = 96 << 20
	ownerEvents  = 1_000_000
	memoryOfEach = 24
)

func memoryFor(events uint64) int64 {
	return ownerMemory + memoryOfEach*int64(max(events, ownerEvents)-ownerEvents)
}

// Serve owns the log of the lock's directory until it is time to leave, and looks at the spool once
// more after the lock is released: a hook that found the door closed a moment earlier spooled, could
// not start an owner, and would wait for the next hook. ready, which may be nil, is called whenever
// requests are answered.
//
// The error is ownership.ErrReplaced when the directory is somebody else's now. Then the process has
// to end at once: stopping cleanly would write into the other store.
func Serve(ctx context.Context, lock *ownership.Lock, c owner.Config, ready func(*owner.Owner) error) error {
	dir := lock.Dir()
	for {
		retired, err := serveOnce(ctx, lock, c, ready)
		if errors.Is(err, owner.ErrUnhealthy) {
			c.Logger.Error("owner", "error", err.Error())
			if writableAgain(ctx, lock, err) {
				continue
			}
			err = nil
		}
		if errors.Is(err, ownership.ErrReplaced) {
			c.Logger.Error("the journal directory was replaced under its owner", "dir", dir)
			return err
		}
		if err = errors.Join(err, lock.Release()); err != nil {
			c.Logger.Error("owner", "error", err.Error())
			return err
		}
		if retired || ctx.Err() != nil {
			return nil
		}
		waits, err := owner.Waits(dir)
		if err != nil || !waits {
			return err
		}
		if lock, err = ownership.TryLock(dir); err != nil {
			return nil // somebody else is the owner now
		}
	}
}

// diskPause lies between two looks at a disk that took no writes.
const diskPause = time.Second

// writableAgain waits, with the lock held, until the disk takes writes again: hooks spool meanwhile,
// and none of them starts an owner that could not work. It says no when ctx ends or the directory is
// somebody else's.
func writableAgain(ctx context.Context, lock *ownership.Lock, why error) bool {
	ownership.RecordFailure(lock.Dir(), why) // for people; the next success removes it
	pause := time.NewTicker(diskPause)
	defer pause.Stop()
	for lock.Intact() {
		select {
		case <-ctx.Done():
			return false
		case <-pause.C:
		}
		if embedded.Writable(lock.Dir()) == nil {
			return true
		}
	}
	return false
}

func serveOnce(ctx context.Context, lock *ownership.Lock, c owner.Config, ready func(*owner.Owner) error) (retired bool, err error) {
	debug.SetMemoryLimit(ownerMemory)
	o, err := Open(ctx, lock, c)
	if err != nil {
		return false, err
	}
	debug.SetMemoryLimit(memoryFor(o.Head()))
	err = o.Serve(ctx, func() error {
		if ready == nil {
			return nil
		}
		return ready(o)
	})
	if errors.Is(err, ownership.ErrReplaced) {
		return false, err
	}
	return o.Retired(), errors.Join(err, o.Close())
}
