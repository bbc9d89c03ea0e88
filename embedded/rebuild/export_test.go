package rebuild

import (
	"context"
	"slices"
	"time"

	"journal/embedded/store/ownership"
)

// RebuildUntil is a Rebuild that is killed after some steps of its plan. It returns the number of all steps.
func RebuildUntil(ctx context.Context, lock *ownership.Lock, o Options, n int) (steps int, err error) {
	_, p, err := prepare(ctx, lock, o)
	if err != nil {
		return 0, err
	}
	all := p.steps(lock.Dir())
	return len(all), execute(lock, all[:min(n, len(all))])
}

// PrepareOnly is a Rebuild that is killed before its plan is stored.
func PrepareOnly(ctx context.Context, dir string, o Options) error {
	p := newPlan(o)
	p.Epoch = 2
	return newStore(ctx, dir, p, o.Logger, func(w *writer) error { return writeStore(ctx, dir, o, p, &Result{}, w) })
}

// OldSession is a session with a time and a size of events that are not lasting.
type OldSession struct {
	Project, Session string
	Newest           time.Time
	Fading, Bytes    uint64
}

// Old returns the sessions from which retention removes events, for a store of a size.
func (r Retention) Old(all []OldSession, now time.Time, size uint64) []string {
	past := map[sessionKey]pastSession{}
	for _, p := range all {
		past[sessionKey{p.Project, p.Session}] = pastSession{p.Newest.UnixNano(), p.Fading, p.Bytes}
	}
	var old []string
	for key := range r.old(past, now, size) {
		old = append(old, key.session)
	}
	slices.Sort(old)
	return old
}
