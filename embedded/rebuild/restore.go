package rebuild

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"

	"journal/embedded/store/ownership"
	"journal/journal/record"
)

// Restore makes both copies of a log from records, in a directory without one, and
// returns how many there were. Their sequences are 1, 2, 3 and so on. Data is not kept.
// After an error nothing is changed, or Resume completes it. The caller holds the lock.
func Restore(ctx context.Context, lock *ownership.Lock, logger *slog.Logger, records iter.Seq2[record.Record, error]) (n uint64, err error) {
	return restore(ctx, lock, logger, records, Result{})
}

// restore is Restore. r.segments may name archive segments of the records.
func restore(ctx context.Context, lock *ownership.Lock, logger *slog.Logger, records iter.Seq2[record.Record, error], r Result) (n uint64, err error) {
	p := newPlan(Options{Reason: "restored from a backup"})
	p.Epoch = 1
	r.Epoch, r.Archive = p.Epoch, true
	err = newStore(ctx, lock.Dir(), p, logger, func(w *writer) error {
		for at, err := range records {
			if err == nil && at.Seq != w.last+1 {
				err = fmt.Errorf("%w: #%d comes after #%d", ErrDamaged, at.Seq, w.last)
			}
			if err = cmp.Or(err, ctx.Err()); err == nil {
				if id := w.idOf(at.ID); id != at.ID {
					at.ID = id
					r.changed.Add(at.Seq)
				}
				err = w.put(at)
			}
			if err != nil {
				return err
			}
		}
		r.Events = w.last
		return nil
	})
	if err == nil {
		err = copyBack(ctx, lock.Dir(), &r)
	}
	if err == nil && !lock.Intact() {
		err = ownership.ErrReplaced
	}
	if err != nil {
		return 0, errors.Join(fmt.Errorf("restore: %w", err), discard(lock.Dir()))
	}
	p.Last = r.Events
	if err := p.begin(lock.Dir()); err != nil {
		return 0, fmt.Errorf("restore: %w", err)
	}
	return r.Events, p.carryOut(lock, p.steps(lock.Dir()))
}
