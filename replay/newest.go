package replay

import (
	"context"
	"iter"
	"sync"

	"journal/events"
)

// Bounds of the remembered events: those between two reads of a lane.
const (
	maxNewest      = 1024
	maxNewestBytes = 1 << 20
)

// Newest is a source that remembers the newest events of another. It answers requests for these events without reading
// the log, which saves a third of a millisecond with a long one. It is safe for concurrent use.
type Newest struct {
	source Source

	mu    sync.Mutex
	all   Slice // without a gap
	bytes int
}

// NewNewest returns a Newest that remembers nothing yet.
func NewNewest(src Source) *Newest { return &Newest{source: src} }

// Note adds an event of the log. Events come in the log's order; after a gap it forgets the earlier ones.
func (n *Newest) Note(e events.Envelope) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if last := len(n.all) - 1; last >= 0 && n.all[last].Seq+1 != e.Seq {
		n.all, n.bytes = nil, 0
	}
	n.all, n.bytes = append(n.all, e), n.bytes+len(e.Body)
	for len(n.all) > maxNewest || n.bytes > maxNewestBytes {
		n.bytes -= len(n.all[0].Body)
		n.all = n.all[1:] // concurrent readers keep their own slice
	}
}

// Events satisfies replay.Source.
func (n *Newest) Events(ctx context.Context, span events.Span, sel ...events.Selector) iter.Seq2[events.Envelope, error] {
	n.mu.Lock()
	all := n.all
	n.mu.Unlock()
	if len(all) == 0 || span.After < all[0].Seq-1 || span.Until == 0 || span.Until > all[len(all)-1].Seq {
		return n.source.Events(ctx, span, sel...)
	}
	return all.Events(ctx, span, sel...)
}
