package colleagues

import (
	"context"
	"iter"

	"journal/events"
	"journal/events/text"
	"journal/replay"
)

const (
	// readUnits is how much is kept of a text of another's log, in UTF-16 units: twice what is ever shown of
	// one, since white space goes before it is shown.
	readUnits = 2 * decidedUnits
	// readWhole bounds the events that are kept as they are, in bytes.
	readWhole = 2 << 10
)

// brief is another's log, of whose long texts nobody keeps more than is ever shown.
type brief struct{ replay.Source }

func (b brief) Events(ctx context.Context, span events.Span, sel ...events.Selector) iter.Seq2[events.Envelope, error] {
	return func(yield func(events.Envelope, error) bool) {
		for e, err := range b.Source.Events(ctx, span, sel...) {
			if err == nil && len(e.Body) > readWhole {
				e.More = nil // nothing folds it
				e, err = events.MapEnvelope(e, func(s string) string { return text.CutUnits(s, readUnits) })
			}
			if !yield(e, err) {
				return
			}
		}
	}
}
