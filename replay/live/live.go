// Package live keeps the folds of lanes that are asked for repeatedly, and moves them forward from the log instead of
// folding anew.
//
// A live fold reads the stored events, as a replay does, so both give the same state.
package live

import (
	"context"
	"sync"

	"journal/projections"
	"journal/replay"
)

// Folds caches the newest folds of some lanes. It is safe for concurrent use.
type Folds struct {
	source      replay.Source
	projections []projections.Projection
	max         int

	mu    sync.Mutex
	lanes map[projections.Target]*lane
	clock uint64 // counts uses, to find the least recently used lane
}

type lane struct {
	used uint64 // guarded by Folds.mu

	mu     sync.Mutex
	config projections.Config
	fold   *projections.Fold
}

// New returns a cache of at most max folds of the projections over a source.
func New(src replay.Source, max int, ps ...projections.Projection) *Folds {
	return &Folds{source: src, projections: ps, max: max, lanes: map[projections.Target]*lane{}}
}

// At returns a copy of the fold of a target as of a sequence.
func (f *Folds) At(ctx context.Context, t projections.Target, c projections.Config, seq uint64) (*projections.Fold, error) {
	l := f.lane(t)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fold != nil && l.config.Equal(c) && l.fold.Seq() > seq {
		// Somebody else moved the fold past seq. Folds cannot go back: fold anew.
		past := projections.NewFold(t, c, f.projections...)
		return past, replay.Forward(ctx, f.source, past, seq)
	}
	if l.fold == nil || !l.config.Equal(c) {
		l.fold, l.config = projections.NewFold(t, c, f.projections...), c
	}
	if err := replay.Forward(ctx, f.source, l.fold, seq); err != nil {
		l.fold = nil // its state is unknown
		return nil, err
	}
	return l.fold.Clone(), nil
}

// Peek returns a copy of the fold of a target as it stands, without moving it. ok is false if none is cached.
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

// lane returns the lane of a target, and evicts the least recently used lane if there are too many.
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
