package service

import (
	"context"
	"errors"
	"runtime/debug"
	"time"

	"journal/embedded"
	"journal/embedded/owner"
	"journal/embedded/owner/intake"
	"journal/embedded/rebuild"
	"journal/embedded/store/ownership"
	"journal/events"
	"journal/journal/team/upload"
)

// ownerMemory is the memory limit that keeps the owner small for any length of the log: the server's block caches are freed
// only when the garbage collector runs.
const ownerMemory = 96 << 20

// Serve owns the log of the lock's directory until it is time to leave, and checks the spool once
// more after the lock is released: a hook that just found the owner leaving has spooled, could not
// start an owner, and would have to wait for the next hook. ready, which may be nil, is called
// each time that an owner begins to answer requests.
//
// The error is ownership.ErrReplaced if the directory is another owner's now. Then the process must
// end at once: a clean stop would write into the other store.
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
		if err == nil && left.missing != nil && !left.retired && ctx.Err() == nil {
			if err := giveBack(ctx, lock, c, left.missing); err != nil {
				c.Logger.Error("owner", "error", err.Error())
			}
			continue
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
		waits, err := intake.HasReports(dir)
		if err != nil || !waits {
			return err
		}
		if lock, err = ownership.TryLock(dir); err != nil {
			return nil // another process is the owner now
		}
	}
}

// diskPause is the time between two checks of a disk that took no writes.
const diskPause = time.Second

// writableAgain waits, holding the lock, until the disk takes writes again: hooks spool meanwhile,
// and none of them starts an owner that could not work. It returns false when ctx ends or the
// directory is another owner's.
func writableAgain(ctx context.Context, lock *ownership.Lock) bool {
	for range embedded.Ticks(ctx, diskPause) {
		switch {
		case !lock.Intact():
			return false
		case embedded.Writable(lock.Dir()) == nil:
			return true
		}
		ownership.RenewFailure(lock.Dir())
	}
	return false
}

// departure is why an owner left.
type departure struct {
	retired bool            // a newer program asked for it
	rested  bool            // it was idle
	missing *upload.Missing // what the log is to be given back, nil for nothing
}

func serveOnce(ctx context.Context, lock *ownership.Lock, c owner.Config, ready func(*owner.Owner) error) (departure, error) {
	debug.SetMemoryLimit(ownerMemory)
	o, err := Open(ctx, lock, c)
	if err != nil {
		return departure{}, err
	}
	var door *HookListener
	err = o.Serve(ctx, func() (err error) {
		if door, err = ListenHooks(o, HookConfig{Dir: lock.Dir(), Logger: c.Logger, Pace: c.Pace, Intact: lock.Intact}); err != nil {
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
	return departure{o.Retired(), o.Rested(), o.Missing()}, errors.Join(err, o.Close())
}

// giveBack writes the log anew with what it lacks of what the team's hub has of it. Hooks spool meanwhile.
func giveBack(ctx context.Context, lock *ownership.Lock, c owner.Config, m *upload.Missing) error {
	r, err := rebuild.Rebuild(ctx, lock, rebuild.Options{
		Reason: "the team's hub had more of it", Logger: c.Logger,
		Beside: &rebuild.Beside{Records: m.There.Stored(ctx, events.Span{}), Merge: m.Merge, Forgets: m.Forgets},
	})
	if err != nil {
		return err
	}
	c.Logger.Warn("the log has what it lacked of what the team's hub has", "epoch", r.Epoch, "events", r.Events)
	return m.Copy.AdoptedBy(r.Epoch, lock.Dir())
}

// lookPause is the time between two checks for a report that waits for the log.
const lookPause = 50 * time.Millisecond

// retain removes what the configured retention does not keep, while nothing needs the log. A hook
// that comes spools; the removal is then given up, unless it is nearly done.
func retain(ctx context.Context, lock *ownership.Lock, c owner.Config) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		for range embedded.Ticks(ctx, lookPause) {
			if waits, err := intake.HasReports(lock.Dir()); err != nil || waits {
				cancel()
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
