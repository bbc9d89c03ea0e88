// Package service runs the owner of a log as a process, and talks to a running one: it starts an
// owner in the background, serves until it is time to leave, repairs a damaged store before it is
// opened, asks an owner questions, and takes over the log from it.
//
// Every function takes the journal directory or its lock, and says what it may do to a directory
// that another process owns.
//
// HookListener is the socket at which the owner takes calls from journal-hook. It handles each call as a process of its own
// would, and sends back what journal-hook prints. A call that fails here, even by a panic, harms no other: the owner refuses it,
// and journal-hook starts the program that needs no owner.
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

// Open makes this process the owner of the log. It first completes a rebuild that a crash
// interrupted, and rebuilds a store that the server must not open, at most once a day unless only
// the newest write was interrupted. Hooks spool meanwhile, and also for a while after an error,
// whose reason ownership.Failed returns. The error is an embedded.SuspectError if a damaged store
// could not be rebuilt. The caller keeps the lock in every case.
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
	if suspect := (*embedded.SuspectError)(nil); errors.As(err, &suspect) {
		if err = mend(ctx, lock, c, suspect); err == nil {
			o, err = owner.Own(ctx, lock, c)
		}
	}
	return o, err
}

// mend rebuilds a suspect store.
func mend(ctx context.Context, lock *ownership.Lock, c owner.Config, suspect *embedded.SuspectError) error {
	c.Logger.Error("the store is damaged and is rebuilt", "error", suspect.Error())
	// Any power cut may interrupt a write, so that needs no person.
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

// With runs f as the owner of the directory's log. The error is client.ErrBusy if the lock is
// not free within wait.
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
	if errors.Is(closing, ownership.ErrReplaced) { // the locked file is gone
		return errors.Join(err, closing)
	}
	return errors.Join(err, closing, lock.Release())
}

// AloneToMend is Alone that also succeeds if something else is in place of the lock file, or a rebuild's plan is
// unreadable; mended says which of them it fixed.
func AloneToMend(ctx context.Context, dir string) (lock *ownership.Lock, mended []string, err error) {
	if err := ownership.Prepare(dir); err != nil {
		return nil, nil, err
	}
	if blocked := ownership.CheckLock(dir); blocked != nil {
		mended = append(mended, blocked.Error())
		// An owner whose lock was replaced ends within a second, without writing to the store.
		for again := time.Now().Add(stopWait); time.Now().Before(again); {
			nc, err := journal.Connect(ctx, dir)
			if err != nil {
				break
			}
			nc.Close()
			if !pause(ctx) {
				return nil, mended, ctx.Err()
			}
		}
		if err := ownership.MendLock(dir); err != nil {
			return nil, mended, err
		}
	}
	if lock, err = TakeOver(ctx, dir); err != nil {
		return nil, mended, err
	}
	plan, err := rebuild.ResumeAnyhow(lock)
	if plan != "" {
		mended = append(mended, plan)
	}
	if err != nil {
		return nil, mended, errors.Join(err, lock.Release())
	}
	return lock, mended, nil
}

// Alone takes the lock of the directory, and completes an interrupted rebuild. A running owner is
// asked to leave.
func Alone(ctx context.Context, dir string) (*ownership.Lock, error) {
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
