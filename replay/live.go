package replay

import (
	"context"
	"sync"

	"journal/projections"
)

// Folds caches the newest folds of some lanes. It is safe for concurrent use.
type Folds struct {
	source      Source
	projections []projections.Projection

	mu    sync.Mutex
	lanes *Cache[projections.Target, *lane]
}

// lane holds the cached fold of a lane, and its configuration. mu guards both.
type lane struct {
	mu     sync.Mutex
	config projections.Config
	fold   *projections.Fold // nil until At folded the lane, and after an error
}

// NewFolds returns a cache of at most max folds of the projections over a source.
func NewFolds(src Source, max int, ps ...projections.Projection) *Folds {
	return &Folds{source: src, projections: ps, lanes: NewCache[projections.Target, *lane](max)}
}

// At returns the fold of a target as of a sequence, which is not 0. The caller may change the fold.
func (f *Folds) At(ctx context.Context, t projections.Target, c projections.Config, seq uint64) (*projections.Fold, error) {
	l := f.lane(t)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fold != nil && l.config.Equal(c) && l.fold.Seq() > seq {
		// Another caller moved the fold past seq, and folds cannot go back.
		past := projections.NewFold(t, c, f.projections...)
		return past, Forward(ctx, f.source, past, seq)
	}
	if l.fold == nil || !l.config.Equal(c) {
		l.fold, l.config = projections.NewFold(t, c, f.projections...), c
	}
	if err := Forward(ctx, f.source, l.fold, seq); err != nil {
		l.fold = nil // it may have only a part of the events
		return nil, err
	}
	return l.fold.Clone(), nil
}

// Peek returns a copy of the cached fold of a target, and its configuration. It applies no events, and does not count as a use
// of the fold. ok is false if no fold is cached.
func (f *Folds) Peek(t projections.Target) (fold *projections.Fold, c projections.Config, ok bool) {
	f.mu.Lock()
	l, cached := f.lanes.Peek(t)
	f.mu.Unlock()
	if !cached {
		return nil, c, false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fold == nil {
		return nil, c, false
	}
	return l.fold.Clone(), l.config, true
}

// lane returns the lane of a target. It adds a new lane, and then evicts the least recently used lane if there are too many.
func (f *Folds) lane(t projections.Target) *lane {
	f.mu.Lock()
	defer f.mu.Unlock()
	l, cached := f.lanes.Get(t)
	if !cached {
		l = &lane{}
		f.lanes.Put(t, l)
	}
	return l
}
