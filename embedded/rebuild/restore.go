package rebuild

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"

	"journal/embedded/store/ownership"
	"journal/journal/record"
)

// Restore writes both copies of a log from records, in a directory without a log, and returns the number of records. Their sequences are 1,
// 2, 3 and so on. It does not retain Data. After an error nothing is changed, unless the copies were complete. Then Resume completes the
// restore. The caller holds the lock.
func Restore(ctx context.Context, lock *ownership.Lock, logger *slog.Logger, records iter.Seq2[record.Record, error]) (n uint64, err error) {
	return restore(ctx, lock, logger, records, Result{})
}

// restore implements Restore. r.segments may name a directory with archive segments that have the records.
func restore(ctx context.Context, lock *ownership.Lock, logger *slog.Logger, records iter.Seq2[record.Record, error], r Result) (n uint64, err error) {
	p := newPlan(Options{Reason: "restored from a backup"})
	p.Epoch = 1
	r.Epoch, r.Archive = p.Epoch, true
	if err := writeCopies(ctx, lock, logger, records, p, &r); err != nil {
		return 0, errors.Join(fmt.Errorf("restore: %w", err), discard(lock.Dir()))
	}
	p.Last = r.Events
	if err := p.begin(lock.Dir()); err != nil {
		return 0, fmt.Errorf("restore: %w", err)
	}
	return r.Events, execute(lock, p.steps(lock.Dir()))
}

// writeCopies writes the new store and the new archive, and sets r.Events.
func writeCopies(ctx context.Context, lock *ownership.Lock, logger *slog.Logger, records iter.Seq2[record.Record, error], p plan, r *Result) error {
	err := newStore(ctx, lock.Dir(), p, logger, func(w *writer) error {
		for rec, err := range records {
			if err != nil {
				return err
			}
			if rec.Seq != w.last+1 {
				return fmt.Errorf("%w: #%d comes after #%d", ErrDamaged, rec.Seq, w.last)
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			if id := w.idOf(rec.ID); id != rec.ID {
				rec.ID = id
				r.changed.Add(rec.Seq)
			}
			if err := w.put(rec); err != nil {
				return err
			}
		}
		r.Events = w.last
		return nil
	})
	if err != nil {
		return err
	}
	if err := writeArchive(ctx, lock.Dir(), r); err != nil {
		return err
	}
	if !lock.Intact() {
		return ownership.ErrReplaced
	}
	return nil
}
