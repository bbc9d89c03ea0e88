package main

import (
	"context"
	"errors"
	"fmt"

	"journal/embedded"
	"journal/embedded/owner"
	"journal/embedded/ownership"
	"journal/embedded/rebuild"
)

// ownLog makes this process the owner of the log. A rebuild that a crash
// interrupted is completed before, and a store that the server may not open is
// rebuilt, at most once a day (DECISIONS 2.10). Hooks spool meanwhile, and also
// for a while after an error, whose reason `journal status` tells.
func (a *app) ownLog(ctx context.Context, lock *ownership.Lock, c owner.Config) (*owner.Owner, error) {
	done, err := rebuild.Resume(lock)
	if err != nil {
		ownership.RecordFailure(a.dir, err)
		return nil, err
	}
	if done {
		c.Logger.Warn("a rebuild of the store that was interrupted is complete")
	}
	o, err := owner.Own(ctx, lock, c)
	if suspect := (*embedded.SuspectError)(nil); errors.As(err, &suspect) {
		if err = a.mend(ctx, lock, c, suspect); err == nil {
			o, err = owner.Own(ctx, lock, c)
		}
	}
	return o, err
}

// mend rebuilds a suspect store.
func (a *app) mend(ctx context.Context, lock *ownership.Lock, c owner.Config, suspect *embedded.SuspectError) error {
	c.Logger.Error("the store is damaged and is rebuilt", "error", suspect.Error())
	r, err := rebuild.Rebuild(ctx, lock, rebuild.Options{Reason: rebuild.Reason(suspect), Automatic: true, Logger: c.Logger})
	if err != nil {
		err = withHint(fmt.Errorf("%w: %w", suspect, err), "journal repair")
		if ctx.Err() == nil && lock.Intact() {
			ownership.RecordFailure(a.dir, err)
		}
		return err
	}
	c.Logger.Warn("the store was rebuilt", "epoch", r.Epoch, "events", r.Events, "from_archive", r.Archived.Count(),
		"gaps", fmt.Sprint(r.Gaps), "differ", fmt.Sprint(r.Differ), "suspect", r.Suspect)
	return nil
}
