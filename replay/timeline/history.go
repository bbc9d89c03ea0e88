package timeline

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"unique"

	"journal/events"
	"journal/projections"
	"journal/replay"
)

// stride is the number of events of the session from one cached fold to the next. Folding so many takes less than 2 ms. A cached fold
// takes some 20 KB beside the part that it shares with the other folds.
const stride = 128

// History keeps one lane of a session ready to be browsed, with the events of all lanes as rows. It is safe for concurrent use.
type History struct {
	source replay.Source

	mu      sync.Mutex
	read    uint64              // everything up to this sequence was read
	fold    *projections.Fold   // as of read
	watcher *Watcher            // applies the events to fold
	cached  []*projections.Fold // copies of fold at earlier events, in log order
	rows    []Row               // see Rows
}

// Row is one event of the session, of any lane.
type Row struct {
	Seq    uint64
	At     int64 // ns since 1970 UTC, the event's own time
	Type   events.Type
	Lane   string // empty: the main lane
	Failed bool   // something failed in it
}

// NewHistory returns the history of a lane, with nothing read yet.
func NewHistory(src replay.Source, t projections.Target, c projections.Config) *History {
	browsed := slices.DeleteFunc(projections.All(), projections.Projection.AllSessions)
	h := &History{source: src, fold: projections.NewFold(t, c, browsed...)}
	h.watcher = Watch(h.fold)
	return h
}

// Forward reads the events up to and including a sequence. After an error the events before the one that caused it are read.
func (h *History) Forward(ctx context.Context, until uint64) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if until <= h.read {
		return nil
	}
	span := events.Span{After: h.read, Until: until}
	selectors, err := replay.Needed(ctx, h.source, h.fold, span)
	if err != nil {
		return fmt.Errorf("history: %w", err)
	}
	for e, err := range h.source.Events(ctx, span, selectors...) {
		if err != nil {
			return fmt.Errorf("history: %w", err)
		}
		if err := h.apply(ctx, e); err != nil {
			return fmt.Errorf("history: %w", err)
		}
		h.read = e.Seq
	}
	h.read = until
	return nil
}

// apply applies an event, and adds its row.
func (h *History) apply(ctx context.Context, e events.Envelope) error {
	if err := h.watcher.Apply(ctx, h.source, e); err != nil {
		return err
	}
	t := h.fold.Target()
	if e.EchoOf != 0 || e.Session != t.Session || e.Project != t.Project {
		return nil
	}
	h.rows = append(h.rows, Row{e.Seq, e.At, unique.Make(e.Type).Value(), unique.Make(e.Lane).Value(), fails(e)})
	if len(h.rows)%stride == 1 {
		h.cached = append(h.cached, h.fold.Clone())
	}
	return nil
}

// fails reports whether something failed in an event. Unreadable events do not count.
func fails(e events.Envelope) bool {
	if !MayFail(e.Type) {
		return false
	}
	ev, err := events.Open(e)
	if err != nil {
		return false
	}
	_, failed := Failed(ev)
	return failed
}

// Rows returns the rows of the events read so far, without echoes, in log order. Callers must not modify the result.
func (h *History) Rows() []Row {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clip(h.rows)
}

// Timeline returns the timeline of the lane, as far as it was read.
func (h *History) Timeline() Timeline {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.watcher.Timeline()
}

// At returns a fold as of a sequence that was read, of all projections of a session's states (not Projection.AllSessions). The caller
// may change it.
func (h *History) At(ctx context.Context, seq uint64) (*projections.Fold, error) {
	f := h.lastUpTo(seq)
	if f.Seq() >= seq { // at seq 0, Forward would read to the end of the log
		return f, nil
	}
	if err := replay.Forward(ctx, h.source, f, seq); err != nil {
		return nil, err
	}
	return f, nil
}

// lastUpTo returns a copy of the newest fold that has no event after a sequence: the current one, a cached one, or else an empty one.
func (h *History) lastUpTo(seq uint64) *projections.Fold {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.fold.Seq() <= seq {
		return h.fold.Clone()
	}
	i, exact := slices.BinarySearchFunc(h.cached, seq, func(f *projections.Fold, seq uint64) int {
		return cmp.Compare(f.Seq(), seq)
	})
	switch {
	case exact:
		return h.cached[i].Clone()
	case i > 0:
		return h.cached[i-1].Clone()
	}
	return h.fold.Empty()
}

// RowsUpTo returns the number of rows up to and including a sequence.
func RowsUpTo(rows []Row, seq uint64) int {
	i, found := slices.BinarySearchFunc(rows, seq, func(r Row, seq uint64) int { return cmp.Compare(r.Seq, seq) })
	if found {
		i++
	}
	return i
}
