// Package history keeps one lane of a session ready for somebody who moves about in it:
// where each of its events lies, how it went, and the folds at some places on the way, so
// that the state at any other is near.
//
// Nothing of it is kept but in memory, and what it gives is what a replay gives: the folds
// are the same pure ones, gone on with from a place in the middle (ADR-0022).
package history

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"journal/events"
	"journal/projections"
	_ "journal/projections/all"
	"journal/replay"
	"journal/replay/timeline"
)

// stride is how many events of the session lie between two folds that are kept. From one to
// the next is less than 2 ms, and a fold that is kept weighs some 20 KB beside what it
// shares with the others.
const stride = 256

// History is one lane of a session. It is safe for concurrent use.
type History struct {
	source replay.Source

	mu      sync.Mutex
	read    uint64 // everything up to here was seen
	fold    *projections.Fold
	watcher *timeline.Watcher
	stops   []*projections.Fold // in the order of the log
	rows    []Row
	names   map[string]string // one string for each type and lane
}

// Row is one event of the session, of any lane.
type Row struct {
	Seq    uint64
	At     int64 // ns since 1970 UTC, the event's own time
	Type   events.Type
	Lane   string // empty: the main thread
	Failed bool   // it tells of something that failed
}

// New begins the history of a lane with nothing read yet.
func New(src replay.Source, t projections.Target, c projections.Config) *History {
	h := &History{source: src, fold: projections.NewFold(t, c, projections.All()...), names: map[string]string{}}
	h.watcher = timeline.Watch(h.fold)
	return h
}

// Forward reads what was appended up to and with a sequence. On an error it stands before
// the event that caused it.
func (h *History) Forward(ctx context.Context, until uint64) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if until <= h.read {
		return nil
	}
	for e, err := range h.source.Events(ctx, events.Span{After: h.read, Until: until}, replay.Selectors(h.fold)...) {
		if err == nil {
			err = h.see(e)
		}
		if err != nil {
			return fmt.Errorf("history: %w", err)
		}
		h.read = e.Seq
	}
	h.read = until
	return nil
}

func (h *History) see(e events.Envelope) error {
	if err := h.watcher.Apply(e); err != nil {
		return err
	}
	t := h.fold.Target()
	if e.EchoOf != 0 || e.Session != t.Session || e.Project != t.Project {
		return nil
	}
	h.rows = append(h.rows, Row{e.Seq, e.At, events.Type(h.name(string(e.Type))), h.name(e.Lane), fails(e)})
	if len(h.rows)%stride == 0 {
		h.stops = append(h.stops, h.fold.Clone())
	}
	return nil
}

// fails says whether an event tells of something that failed. What cannot be read tells of
// nothing.
func fails(e events.Envelope) bool {
	if !timeline.MayFail(e.Type) {
		return false
	}
	ev, err := events.Open(e)
	if err != nil {
		return false
	}
	_, failed := timeline.Failed(ev)
	return failed
}

// name gives the one string that is kept for all equal ones.
func (h *History) name(s string) string {
	if known, ok := h.names[s]; ok {
		return known
	}
	h.names[s] = s
	return s
}

// Rows lists the events that were read, echoes apart, in the order of the log. It is not to
// be written to.
func (h *History) Rows() []Row {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clip(h.rows)
}

// Timeline tells how the lane went, as far as it was read.
func (h *History) Timeline() timeline.Timeline {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.watcher.Timeline()
}

// At gives the fold of every projection after a sequence that was read. It is the caller's own.
func (h *History) At(ctx context.Context, seq uint64) (*projections.Fold, error) {
	f := h.before(seq)
	if f.Seq() >= seq { // a span that ends with 0 goes on to the end of the log
		return f, nil
	}
	if err := replay.Forward(ctx, h.source, f, seq); err != nil {
		return nil, err
	}
	return f, nil
}

// before gives the last fold that is kept and not behind a sequence.
func (h *History) before(seq uint64) *projections.Fold {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.fold.Seq() <= seq {
		return h.fold.Clone()
	}
	i, exact := slices.BinarySearchFunc(h.stops, seq, func(f *projections.Fold, seq uint64) int {
		return int(f.Seq()) - int(seq)
	})
	switch {
	case exact:
		return h.stops[i].Clone()
	case i > 0:
		return h.stops[i-1].Clone()
	}
	return h.fold.Begin()
}

// Place gives how many of some rows lie before a sequence or at it.
func Place(rows []Row, seq uint64) int {
	i, at := slices.BinarySearchFunc(rows, seq, func(r Row, seq uint64) int { return int(r.Seq) - int(seq) })
	if at {
		i++
	}
	return i
}
