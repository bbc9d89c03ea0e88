package service

import (
	"context"
	"errors"
	"runtime/debug"
	"time"

	"journal/embedded"
	"journal/embedded/owner"
	"journal/embedded/owner/intake"
	"journal/embedded/store/ownership"
)

// ownerMemory is the memory limit of an owner, in bytes. It keeps the owner small for any length of the log: the server's block caches are
// freed only when the garbage collector runs.
const ownerMemory = 96 << 20

// Serve owns the log of the lock's directory until it is time to leave, and releases the lock. Then it checks the spool once more, and goes
// on if there are reports: a hook that finds the owner leaving spools its report and cannot start an owner. ready, which may be nil, is
// called each time that an owner begins to answer requests.
//
// The error is ownership.ErrReplaced if another owner has the directory now. Then the process must end at once: a clean stop would write
// into the other store. Other errors are those of Open, of ready and of the spool, and owner.ErrUnhealthy if the size of files is limited: then
// this process can never write again.
func Serve(ctx context.Context, lock *ownership.Lock, c owner.Config, ready func(*owner.Owner) error) error {
	dir := lock.Dir()
	for {
		exit, err := serveOnce(ctx, lock, c, ready)
		if errors.Is(err, owner.ErrUnhealthy) && lock.Intact() {
			c.Logger.Error("owner", "error", err.Error())
			ownership.RecordFailure(dir, c.Version, err) // for people; the next success removes it
			if embedded.FileSizeLimited() {
				return errors.Join(err, lock.Release())
			}
			if writableAgain(ctx, lock) {
				continue
			}
			err = nil // ctx ended: the log is closed
			if !lock.Intact() {
				err = ownership.ErrReplaced
			}
		}
		if errors.Is(err, ownership.ErrReplaced) {
			c.Logger.Error("the journal directory was replaced under its owner", "dir", dir)
			return err
		}
		if err == nil && exit.restore != nil && !exit.retired && ctx.Err() == nil {
			if err := exit.restore(ctx, lock); err != nil {
				c.Logger.Error("owner", "error", err.Error())
			}
			continue
		}
		if exit.leftIdle {
			retain(ctx, lock, c)
		}
		if err = errors.Join(err, lock.Release()); err != nil {
			c.Logger.Error("owner", "error", err.Error())
			return err
		}
		if exit.retired || ctx.Err() != nil {
			return nil
		}
		pending, err := intake.HasReports(dir)
		if err != nil || !pending {
			return err
		}
		if lock, err = ownership.TryLock(dir); err != nil {
			return nil // another process is the owner now, or the next hook meets the same error
		}
	}
}

// diskPause is the interval at which a disk that took no writes is checked.
const diskPause = time.Second

// writableAgain waits until the disk takes writes again. It keeps the lock, so that no hook starts an owner that could not work; hooks
// spool meanwhile. It returns false when ctx ends or another owner has the directory.
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

// exitReason is the reason why an owner left.
type exitReason struct {
	retired  bool          // a newer program asked the owner to leave
	leftIdle bool          // no request arrived for the idle time
	restore  owner.Restore // rewrites the log with events of a team's hub; nil if that was not the reason
}

// serveOnce opens the log, serves and closes the log. After an error the exitReason is empty, except for retired.
func serveOnce(ctx context.Context, lock *ownership.Lock, c owner.Config, ready func(*owner.Owner) error) (exitReason, error) {
	debug.SetMemoryLimit(ownerMemory)
	o, err := Open(ctx, lock, c)
	if err != nil {
		return exitReason{}, err
	}
	var hooks *HookListener
	err = o.Serve(ctx, func() (err error) {
		if hooks, err = ListenHooks(o, HookConfig{Dir: lock.Dir(), Logger: c.Logger, Pace: c.Pace, Intact: lock.Intact}); err != nil {
			c.Logger.Error("owner", "error", err.Error()) // journal-hook then starts processes, which use the other socket
		}
		if ready == nil {
			return nil
		}
		return ready(o)
	})
	if hooks != nil {
		hooks.Close()
	}
	if errors.Is(err, ownership.ErrReplaced) {
		return exitReason{}, err
	}
	if err := errors.Join(err, o.Close()); err != nil {
		return exitReason{retired: o.Retired()}, err
	}
	return exitReason{o.Retired(), o.LeftIdle(), o.Restore()}, nil
}

// reportPoll is the interval of checks for a report in the spool during a removal.
const reportPoll = 50 * time.Millisecond

// retain removes the events that the configured retention does not keep, while nothing needs the log. A hook that comes meanwhile spools
// its report, which cancels the removal unless the new copies are complete.
func retain(ctx context.Context, lock *ownership.Lock, c owner.Config) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		for range embedded.Ticks(ctx, reportPoll) {
			if pending, err := intake.HasReports(lock.Dir()); err != nil || pending {
				cancel()
			}
		}
	}()
	r := c.Settings().Retention
	removed, err := r.Retain(ctx, lock, time.Now(), c.Logger)
	switch {
	case errors.Is(err, context.Canceled):
	case err != nil:
		c.Logger.Error("retention", "error", err.Error())
	case removed.Forgotten > 0:
		c.Logger.Info("retention", "events", removed.Forgotten, "sessions", removed.Sessions)
	}
}
