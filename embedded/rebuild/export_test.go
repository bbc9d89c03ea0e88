package rebuild

import (
	"context"

	"journal/embedded/ownership"
)

// RebuildUntil is a Rebuild that is killed after so many steps of the exchange.
// It gives the number of them all.
func RebuildUntil(ctx context.Context, lock *ownership.Lock, o Options, n int) (steps int, err error) {
	_, p, err := prepare(ctx, lock, o)
	if err != nil {
		return 0, err
	}
	all := p.steps(lock.Dir())
	return len(all), p.carryOut(lock, all[:min(n, len(all))])
}

// PrepareOnly is a Rebuild that is killed before its new copies count.
func PrepareOnly(ctx context.Context, dir string, o Options) error {
	p := newPlan(o)
	p.Epoch = 2
	_, err := newStore(ctx, dir, p.Epoch, o.Logger, func(w *writer) error { return writeStore(ctx, dir, o, p, &Result{}, w) })
	return err
}
