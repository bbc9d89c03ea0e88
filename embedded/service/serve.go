package service

import (
	"context"
	"errors"
	"runtime/debug"
	"time"

	"journal/embedded"
	"journal/embedded/hooks"
	"journal/embedded/owner"
	"journal/embedded/owner/intake"
	"journal/embedded/store/ownership"
	"journal/embedded/store/rebuild"
)

// ownerMemory makes the garbage collector keep the owner small, however long the log is: block caches of the server go only
// when it runs.
const ownerMemory = 96 << 20

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
		left, err := serveOnce(ctx, lock, c, ready)
		if errors.Is(err, owner.ErrUnhealthy) {
			c.Logger.Error("owner", "error", err.Error())
			ownership.RecordFailure(dir, c.Version, err) // for people; the next success removes it
			if writableAgain(ctx, lock) {
				continue
			}
			err = nil
		}
		if errors.Is(err, ownership.ErrReplaced) {
			c.Logger.Error("the journal directory was replaced under its owner", "dir", dir)
			return err
		}
		if err == nil && left.rested {
			retain(ctx, lock, c)
		}
		if err = errors.Join(err, lock.Release()); err != nil {
			c.Logger.Error("owner", "error", err.Error())
			return err
		}
		if left.retired || ctx.Err() != nil {
			return nil
		}
		waits, err := intake.Waits(dir)
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
func writableAgain(ctx context.Context, lock *ownership.Lock) bool {
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
		ownership.RenewFailure(lock.Dir())
	}
	return false
}

// departure is why an owner left.
type departure struct {
	retired bool // a newer program asked for it
	rested  bool // it was idle
}

func serveOnce(ctx context.Context, lock *ownership.Lock, c owner.Config, ready func(*owner.Owner) error) (departure, error) {
	debug.SetMemoryLimit(ownerMemory)
	o, err := Open(ctx, lock, c)
	if err != nil {
		return departure{}, err
	}
	var door *hooks.Door
	err = o.Serve(ctx, func() (err error) {
		if door, err = hooks.Open(o, hooks.Config{Dir: lock.Dir(), Logger: c.Logger, Pace: c.Pace, Intact: lock.Intact}); err != nil {
			c.Logger.Error("owner", "error", err.Error()) // hooks go the other way
		}
		if ready == nil {
			return nil
		}
		return ready(o)
	})
	if door != nil {
		door.Close()
	}
	if errors.Is(err, ownership.ErrReplaced) {
		return departure{}, err
	}
	return departure{o.Retired(), o.Rested()}, errors.Join(err, o.Close())
}

// lookPause lies between two looks for a report that waits for the log.
const lookPause = 50 * time.Millisecond

// retain removes what a person does not want to keep, while nobody needs the log: a hook
// that comes spools, and what was begun is given up for it unless it is as good as done.
func retain(ctx context.Context, lock *ownership.Lock, c owner.Config) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		looks := time.NewTicker(lookPause)
		defer looks.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-looks.C:
				if waits, err := intake.Waits(lock.Dir()); err != nil || waits {
					cancel()
				}
			}
		}
	}()
	r := rebuild.Retention(c.Settings().Retention)
	switch did, err := r.Retain(ctx, lock, time.Now(), c.Logger); {
	case errors.Is(err, context.Canceled):
	case err != nil:
		c.Logger.Error("retention", "error", err.Error())
	case did.Forgotten > 0:
		c.Logger.Info("retention", "events", did.Forgotten, "sessions", did.Sessions)
	}
}
