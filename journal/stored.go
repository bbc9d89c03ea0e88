package journal

import (
	"context"
	"iter"

	"journal/events"
)

// Stored is a message of the log as it is stored, an event or not: a guest's
// message only holds its place.
type Stored struct {
	Seq     uint64
	Subject string
	ID      string // message id, empty when the message has none
	Data    []byte
}

// Stored gives what is stored in a span, in order of its sequence, without
// decoding it: for copies that have to be the same bytes. It ends as Events does;
// the error is ErrHole when a sequence is missing.
func (l *Log) Stored(ctx context.Context, span events.Span) iter.Seq2[Stored, error] {
	return func(yield func(Stored, error) bool) {
		if span.Until == 0 {
			st, err := l.Stats(ctx)
			if err != nil {
				yield(Stored{}, err)
				return
			}
			span.Until = st.Last
		}
		for m, err := range l.whole(ctx, span) {
			if !yield(Stored{Seq: m.seq, Subject: m.subject, ID: string(m.id), Data: m.data}, err) || err != nil {
				return
			}
		}
	}
}
