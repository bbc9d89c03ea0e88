package journal

import (
	"context"
	"iter"

	"journal/events"
	"journal/journal/record"
)

// Stored gives what is stored in a span, events or not, in order of its sequence,
// without decoding it, but not compressed: for copies that have to be the same. It ends
// as Events does; the error is ErrHole when a sequence is missing.
func (l *Log) Stored(ctx context.Context, span events.Span) iter.Seq2[record.Record, error] {
	return func(yield func(record.Record, error) bool) {
		if span.Until == 0 {
			st, err := l.Stats(ctx)
			if err != nil {
				yield(record.Record{}, err)
				return
			}
			span.Until = st.Last
		}
		for r, err := range l.whole(ctx, span) {
			if err == nil {
				r, err = r.Unpack()
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

// Messages gives what is stored in a span as it is stored, events or not, in order of its sequence.
// What is missing is left out.
func (l *Log) Messages(ctx context.Context, span events.Span) iter.Seq2[record.Record, error] {
	return l.PastHoles(func(_, _ uint64) {}).whole(ctx, span)
}
