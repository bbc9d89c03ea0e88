package owner

import (
	"context"
	"errors"
	"time"

	"journal/cmd/journal/snapshots"
	"journal/projections"
	"journal/replay"
)

// quiet is how long nothing was asked when snapshots are written: an agent that
// works asks more often, and would wait for the processor.
const quiet = 5 * time.Second

// snapshotEvents is how many events of its session a lane is ahead of its newest
// snapshot when it gets another one. Each holds the whole state, and folding a few
// events costs less than reading it.
const snapshotEvents = 32

// saved is where the live fold of a lane stood when its snapshot was last looked
// after. Only Snapshot uses it.
type saved map[projections.Target]uint64

// begin gives a new live fold the start that the lane's newest snapshot offers.
func (o *Owner) begin(ctx context.Context, t projections.Target, c projections.Config, until uint64, ps ...projections.Projection) *projections.Fold {
	return snapshots.In(o.lock.Dir()).Begin(ctx, o.log, t, c, until, ps...)
}

// snapshotting writes snapshots whenever nobody wants anything, until ctx ends.
func (o *Owner) snapshotting(ctx context.Context) {
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if time.Since(time.Unix(0, o.active.Load())) < quiet {
			continue
		}
		if err := o.Snapshot(ctx); err != nil && ctx.Err() == nil {
			o.trouble(err)
		}
	}
}

// Snapshot writes what is due: a snapshot of each lane that answers were derived
// for, unless the newest one is near enough. Only one goroutine may call it.
func (o *Owner) Snapshot(ctx context.Context) error {
	var problems []error
	if o.saved == nil {
		o.saved = saved{}
		problems = append(problems, snapshots.In(o.lock.Dir()).Prune(time.Now()))
	}
	for _, t := range o.folds.Targets() {
		live, config, ok := o.folds.Peek(t)
		if !ok || live.Seq() == o.saved[t] {
			continue
		}
		o.saved[t] = live.Seq() // also after an error: the lane moves on
		problems = append(problems, o.snapshot(ctx, t, config, live.Seq()))
	}
	return errors.Join(append(problems, o.records.Save(indexEvents))...)
}

// snapshot saves the state of a lane as of a sequence. The live fold runs what
// answers need; a snapshot is of every projection, so it is folded from the one
// before.
func (o *Owner) snapshot(ctx context.Context, t projections.Target, c projections.Config, seq uint64) error {
	dir := snapshots.In(o.lock.Dir())
	f := dir.Begin(ctx, o.log, t, c, seq, projections.All()...)
	from := f.Count()
	if err := replay.Forward(ctx, o.log, f, seq); err != nil {
		return err
	}
	if f.Count() < from+snapshotEvents || !o.lock.Intact() {
		return nil
	}
	if err := dir.Save(ctx, o.log, f, c); err != nil {
		return err
	}
	return dir.Prune(time.Now())
}
