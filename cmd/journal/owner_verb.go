package main

import (
	"context"
	"errors"
	"os"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"journal/embedded"
	"journal/embedded/owner"
	"journal/embedded/ownership"
	"journal/journal/hookrun"
)

var _ = verb(func(a *app) *cobra.Command {
	return &cobra.Command{
		Use:    "owner",
		Short:  "own the log in the background (started by whoever needs it)",
		Hidden: true,
		Args:   args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			hookrun.FaultsToLog(a.dir) // nobody sees a background process's stderr
			lock, err := ownership.Inherited(a.dir)
			if err != nil {
				return err
			}
			return a.serve(c.Context(), lock, a.ownerConfig(), nil)
		},
	}
})

// ownerMemory makes the garbage collector keep the owner small: block caches of
// the server go only when it runs (JETSTREAM section 2). Beyond a million events the
// index takes 8 bytes of each, and as much again while it grows; without room for it
// the collector would do nothing else.
const (
	ownerMemory  = 96 << 20
	ownerEvents  = 1_000_000
	memoryOfEach = 24
)

func memoryFor(events uint64) int64 {
	return ownerMemory + memoryOfEach*int64(max(events, ownerEvents)-ownerEvents)
}

// serve owns the log until it is time to leave, and looks at the spool once
// more after the lock is released: a hook that found the door closed a moment
// earlier spooled, could not start an owner, and would wait for the next hook
// (DECISIONS 2.3 rule 3).
func (a *app) serve(ctx context.Context, lock *ownership.Lock, c owner.Config, ready func(*owner.Owner) error) error {
	for {
		retired, err := a.serveOnce(ctx, lock, c, ready)
		if errors.Is(err, owner.ErrUnhealthy) {
			c.Logger.Error("owner", "error", err.Error())
			if a.writableAgain(ctx, lock, err) {
				continue
			}
			err = nil
		}
		if errors.Is(err, ownership.ErrReplaced) {
			// Stopping cleanly would write into somebody else's store (rule 5).
			c.Logger.Error("the journal directory was replaced under its owner", "dir", a.dir)
			os.Exit(exitError)
		}
		if err = errors.Join(err, lock.Release()); err != nil {
			c.Logger.Error("owner", "error", err.Error())
			return err
		}
		if retired || ctx.Err() != nil {
			return nil
		}
		waits, err := owner.Waits(a.dir)
		if err != nil || !waits {
			return err
		}
		if lock, err = ownership.TryLock(a.dir); err != nil {
			return nil // somebody else is the owner now
		}
	}
}

// diskPause lies between two looks at a disk that took no writes.
const diskPause = time.Second

// writableAgain waits, with the lock held, until the disk takes writes again: hooks
// spool meanwhile, and none of them starts an owner that could not work. It says
// no when ctx ends or the directory is somebody else's.
func (a *app) writableAgain(ctx context.Context, lock *ownership.Lock, why error) bool {
	ownership.RecordFailure(a.dir, why) // for journal status; the next success removes it
	pause := time.NewTicker(diskPause)
	defer pause.Stop()
	for lock.Intact() {
		select {
		case <-ctx.Done():
			return false
		case <-pause.C:
		}
		if embedded.Writable(a.dir) == nil {
			return true
		}
	}
	return false
}

func (a *app) serveOnce(ctx context.Context, lock *ownership.Lock, c owner.Config, ready func(*owner.Owner) error) (retired bool, err error) {
	debug.SetMemoryLimit(ownerMemory)
	o, err := a.ownLog(ctx, lock, c)
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
