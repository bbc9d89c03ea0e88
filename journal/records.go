package journal

import (
	"context"
	"fmt"
	"iter"

	"journal/events"
	"journal/journal/record"
)

// Records reads the messages of a log's stream where they are stored, beside the
// server that stores them. It is for whoever shares the machine with the server:
// asking costs the server a message of its protocol for each record.
type Records interface {
	// Read gives the messages after one sequence up to and with another whose subject matches one of the filters, or
	// all of them without filters, in order, to each until it returns false. Data is valid only during the call. A
	// record with a sequence alone says that no copy of the log has it, whatever it was. After
	// an error the rest is asked of the server; what came before the error is right.
	Read(ctx context.Context, after, until uint64, filters []string, each func(record.Record) bool) error
}

// Through gives the log that is read through r as far as that goes.
func (l *Log) Through(r Records) *Log {
	c := *l
	c.records = r
	return &c
}

// PastHoles gives the log whose readers go on where a sequence is missing, and tell note of it: of the first and last of
// some that are missing, as far as that is known at once. note may be called by any of them, in any order.
func (l *Log) PastHoles(note func(first, last uint64)) *Log {
	c := *l
	c.note = note
	return &c
}

// hole is told of missing sequences; the error is for a reading that may not go on without them.
func (l *Log) hole(first, last uint64) error {
	if l.note != nil {
		l.note(first, last)
		return nil
	}
	return fmt.Errorf("read the log: %w: %d to %d", ErrHole, first, last)
}

// read gives what Records can of a span, and what rest of the span is left to be
// asked for when the reading has ended: none when the reader left early.
func (l *Log) read(ctx context.Context, span events.Span, filters []string) (messages iter.Seq2[record.Record, error], rest *events.Span) {
	rest = &events.Span{After: span.After, Until: span.Until}
	return func(yield func(record.Record, error) bool) {
		var memory slab
		left := false
		err := l.records.Read(ctx, span.After, span.Until, filters, func(r record.Record) bool {
			if r.Subject == "" {
				rest.After = r.Seq
				err := l.hole(r.Seq, r.Seq)
				if err != nil && len(filters) == 0 { // whoever reads a part gets what there is
					yield(record.Record{}, err)
					left = true
				}
				return !left
			}
			r.Data = memory.copyOf(r.Data)
			left = !yield(r, nil)
			rest.After = r.Seq
			return !left
		})
		switch {
		case left || err == nil:
			rest.After = rest.Until
		case ctx.Err() != nil:
			rest.After = rest.Until
			yield(record.Record{}, ctx.Err())
		}
	}, rest
}

// whole gives everything that is stored in a span; a sequence that is missing is
// ErrHole.
func (l *Log) whole(ctx context.Context, span events.Span) iter.Seq2[record.Record, error] {
	if l.records == nil {
		return l.messages(ctx, span, "")
	}
	return func(yield func(record.Record, error) bool) {
		read, rest := l.read(ctx, span, nil)
		read(yield)
		if rest.After < rest.Until {
			l.messages(ctx, *rest, "")(yield)
		}
	}
}

// slab gives out copies of small pieces of memory from larger ones.
type slab []byte

// slabSize bounds the memory that a kept piece keeps alive, unless the piece itself is larger.
const slabSize = 64 << 10

func (s *slab) copyOf(b []byte) []byte {
	n := len(b)
	if cap(*s)-len(*s) < n {
		*s = make([]byte, 0, max(slabSize, n))
	}
	from := len(*s)
	*s = append(*s, b...)
	return (*s)[from : from+n : from+n]
}
