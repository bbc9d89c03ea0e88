// Package live keeps the folds of lanes that are asked for again and again, and
// moves them forward from the log instead of folding it anew.
//
// A live fold reads what a replay reads, the stored events, so it is where a
// replay would be.
package live

import (
	"context"
	"sync"

	"journal/projections"
	"journal/replay"
)

// Folds keeps the newest folds of some lanes. It is safe for concurrent use.
type Folds struct {
	source      replay.Source
	projections []projections.Projection
	max         int

	mu    sync.Mutex
	lanes map[projections.Target]*lane
	clock uint64 // of uses, for finding the least recent
}

type lane struct {
	used uint64 // guarded by Folds.mu

	mu     sync.Mutex
	config projections.Config
	fold   *projections.Fold
}

// New keeps at most max folds of the projections over a source.
func New(src replay.Source, max int, ps ...projections.Projection) *Folds {
	return &Folds{source: src, projections: ps, max: max, lanes: map[projections.Target]*lane{}}
}

// At gives the fold of a target as it stands after a sequence. It is the
// caller's own.
func (f *Folds) At(ctx context.Context, t projections.Target, c projections.Config, seq uint64) (*projections.Fold, error) {
	l := f.lane(t)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fold != nil && l.config.Equal(c) && l.fold.Seq() > seq {
		// Somebody asked for a later point meanwhile; going back is folding anew.
		past := projections.NewFold(t, c, f.projections...)
		return past, replay.Forward(ctx, f.source, past, seq)
	}
	if l.fold == nil || !l.config.Equal(c) {
		l.fold, l.config = projections.NewFold(t, c, f.projections...), c
	}
	if err := replay.Forward(ctx, f.source, l.fold, seq); err != nil {
		l.fold = nil // where it stands is not known to be good
		return nil, err
	}
	return l.fold.Clone(), nil
}

// Peek gives the fold of a target where it stands, without moving it. It is the
// caller's own; ok is false when none is kept.
func (f *Folds) Peek(t projections.Target) (fold *projections.Fold, c projections.Config, ok bool) {
	f.mu.Lock()
	l := f.lanes[t]
	f.mu.Unlock()
	if l == nil {
		return nil, c, false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fold == nil {
		return nil, c, false
	}
	return l.fold.Clone(), l.config, true
}

// lane gives the place of a target, letting go of the least recently used one
// when there are too many.
func (f *Folds) lane(t projections.Target) *lane {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.clock++
	l := f.lanes[t]
	if l == nil {
		l = &lane{}
		f.lanes[t] = l
	}
	l.used = f.clock
	for len(f.lanes) > f.max {
		var oldest projections.Target
		least := f.clock + 1
		for t, l := range f.lanes {
			if l.used < least {
				oldest, least = t, l.used
			}
		}
		delete(f.lanes, oldest)
	}
	return l
}
