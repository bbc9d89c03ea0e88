package replay

import (
	"context"
	"iter"

	"journal/events"
)

// Source gives the stored events of a span that any of the selectors matches, or
// every event of the span when there is no selector, in order of their sequence and
// each once. Echoes may be among them, marked. It ends where the log ended when the
// call began, or with an error.
type Source interface {
	Events(ctx context.Context, span events.Span, sel ...events.Selector) iter.Seq2[events.Envelope, error]
}

// Slice is a Source of events in memory, in order of their sequence.
type Slice []events.Envelope

// Events satisfies Source.
func (s Slice) Events(ctx context.Context, span events.Span, sel ...events.Selector) iter.Seq2[events.Envelope, error] {
	selected := func(m events.Meta) bool {
		for _, one := range sel {
			if one.Match(m) {
				return true
			}
		}
		return len(sel) == 0
	}
	return func(yield func(events.Envelope, error) bool) {
		for _, e := range s {
			if e.Seq <= span.After || span.Until != 0 && e.Seq > span.Until || !selected(e.Meta) {
				continue
			}
			if err := ctx.Err(); err != nil {
				yield(events.Envelope{}, err)
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}
