// Package service runs the owner of a log as a process, and sends requests to a running one. It serves until it is time to leave, rebuilds
// a damaged store before it is opened, and takes over the log from a running owner.
//
// HookListener is the socket at which the owner accepts calls from journal-hook. It handles each call as a process of its own would, and
// returns the text that journal-hook prints. A call that fails, even by a panic, affects no other: the owner refuses it, and journal-hook
// starts a process for it.
package service

import (
	"context"
	"errors"
	"fmt"
	"time"

	"journal/embedded"
	"journal/embedded/owner"
	"journal/embedded/rebuild"
	"journal/embedded/store/ownership"
	"journal/journal"
	"journal/journal/wire/client"
)

// Open makes this process the owner of the log. It first completes a rebuild that a crash interrupted. It also rebuilds a damaged store, at
// most once a day unless only the newest write was interrupted. Hooks spool meanwhile, and also for a while after an error that
// ownership.RecordFailure has recorded. The error is an embedded.SuspectError if a damaged store could not be rebuilt. The caller keeps the
// lock in every case.
func Open(ctx context.Context, lock *ownership.Lock, c owner.Config) (*owner.Owner, error) {
	done, err := rebuild.Resume(lock)
	if err != nil {
		ownership.RecordFailure(lock.Dir(), c.Version, err)
		return nil, err
	}
	if done {
		c.Logger.Warn("a rebuild of the store that was interrupted is complete")
	}
	o, err := owner.Own(ctx, lock, c)
	suspect, ok := errors.AsType[*embedded.SuspectError](err)
	if !ok {
		return o, err
	}
	if err := rebuildStore(ctx, lock, c, suspect); err != nil {
		return nil, err
	}
	return owner.Own(ctx, lock, c)
}

// rebuildStore rebuilds a suspect store.
func rebuildStore(ctx context.Context, lock *ownership.Lock, c owner.Config, suspect *embedded.SuspectError) error {
	c.Logger.Error("the store is damaged and is rebuilt", "error", suspect.Error())
	// After an automatic rebuild the next one has to wait a day. A rebuild after an interrupted write does not count as automatic, because
	// any power cut may interrupt a write.
	r, err := rebuild.Rebuild(ctx, lock, rebuild.Options{Reason: rebuild.Reason(suspect), Automatic: !suspect.Interrupted(), Logger: c.Logger})
	if err != nil {
		err = fmt.Errorf("%w: %w", suspect, err)
		if ctx.Err() == nil && lock.Intact() {
			ownership.RecordFailure(lock.Dir(), c.Version, err)
		}
		return err
	}
	c.Logger.Warn("the store was rebuilt", "epoch", r.Epoch, "events", r.Events, "from_archive", r.Archived.Count(),
		"gaps", fmt.Sprint(r.Gaps), "differ", fmt.Sprint(r.Differ), "suspect", r.Suspect)
	return nil
}

// With makes this process the owner of the directory's log, calls f with the owner, and closes it. The error is client.ErrBusy if the lock
// is not free within wait, or that of Open, of f or of closing.
func With(ctx context.Context, dir string, wait time.Duration, c owner.Config, f func(*owner.Owner) error) error {
	if err := ownership.Prepare(dir); err != nil {
		return err
	}
	waiting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	lock, err := ownership.LockWithin(waiting, dir)
	if errors.Is(err, ownership.ErrLocked) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: %s", client.ErrBusy, dir)
	}
	if err != nil {
		return err
	}
	o, err := Open(ctx, lock, c)
	if err != nil {
		return errors.Join(err, lock.Release())
	}
	err = f(o)
	closing := o.Close()
	if errors.Is(closing, ownership.ErrReplaced) { // the locked file is gone: there is nothing to release
		return errors.Join(err, closing)
	}
	return errors.Join(err, closing, lock.Release())
}

// LockForRepair takes the lock as StopOwnerAndLock does. It also succeeds if something other than a file has the path of the lock file, or
// if the plan of a rebuild is unreadable: it removes these obstacles. fixed has their errors.
func LockForRepair(ctx context.Context, dir string) (lock *ownership.Lock, fixed []string, err error) {
	if err := ownership.Prepare(dir); err != nil {
		return nil, nil, err
	}
	if blocked := ownership.CheckLock(dir); blocked != nil {
		fixed = append(fixed, blocked.Error())
		// An owner whose lock was replaced ends within a second, without writing to the store.
		for deadline := time.Now().Add(stopWait); time.Now().Before(deadline); {
			nc, err := journal.Connect(ctx, dir)
			if err != nil {
				break
			}
			nc.Close()
			if !pause(ctx) {
				return nil, fixed, ctx.Err()
			}
		}
		if err := ownership.RepairLock(dir); err != nil {
			return nil, fixed, err
		}
	}
	if lock, err = TakeOver(ctx, dir); err != nil {
		return nil, fixed, err
	}
	plan, err := rebuild.ResumeAnyhow(lock)
	if plan != "" {
		fixed = append(fixed, plan)
	}
	if err != nil {
		return nil, fixed, errors.Join(err, lock.Release())
	}
	return lock, fixed, nil
}

// StopOwnerAndLock makes a running owner leave, takes the lock of the directory, and completes an interrupted rebuild. The error is that of
// ownership.Prepare, TakeOver or rebuild.Resume.
func StopOwnerAndLock(ctx context.Context, dir string) (*ownership.Lock, error) {
	if err := ownership.Prepare(dir); err != nil {
		return nil, err
	}
	lock, err := TakeOver(ctx, dir)
	if err != nil {
		return nil, err
	}
	if _, err = rebuild.Resume(lock); err != nil {
		return nil, errors.Join(err, lock.Release())
	}
	return lock, nil
}
