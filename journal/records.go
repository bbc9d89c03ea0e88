package journal

import (
	"context"
	"fmt"
	"iter"

	"journal/events"
	"journal/journal/record"
)

// Records reads the messages of a log's stream from the files in which the server
// stores them. It is for processes on the same machine: asking costs the server one
// protocol message per record.
type Records interface {
	// Read passes the messages after one sequence, up to and including another, to each until it returns false: in
	// order, those whose subject matches one of the filters, or all without filters. Data is valid only during the call.
	// A record with nothing but a sequence means that no copy of the log has it. After an error
	// the server is asked for the rest; what came before the error is correct.
	Read(ctx context.Context, after, until uint64, filters []string, each func(record.Record) bool) error
}

// Through returns the log that is read through r as far as possible.
func (l *Log) Through(r Records) *Log {
	c := *l
	c.records = r
	return &c
}

// PastHoles returns the log with readers that skip missing sequences and call note with the first and last of a missing
// range, as far as it is known at that moment. Any of them may call note, in any order.
func (l *Log) PastHoles(note func(first, last uint64)) *Log {
	c := *l
	c.note = note
	return &c
}

// hole reports missing sequences; it returns the error with which a reader must stop.
func (l *Log) hole(first, last uint64) error {
	if l.note != nil {
		l.note(first, last)
		return nil
	}
	return fmt.Errorf("read the log: %w: %d to %d", ErrHole, first, last)
}

// read returns what Records can read of a span and, when the reading has ended, the rest of
// the span to ask the server for: nil if the reader stopped early.
func (l *Log) read(ctx context.Context, span events.Span, filters []string) (messages iter.Seq2[record.Record, error], rest *events.Span) {
	rest = &events.Span{After: span.After, Until: span.Until}
	return func(yield func(record.Record, error) bool) {
		var memory slab
		left := false
		err := l.records.Read(ctx, span.After, span.Until, filters, func(r record.Record) bool {
			if r.Subject == "" {
				rest.After = r.Seq
				err := l.hole(r.Seq, r.Seq)
				if err != nil && len(filters) == 0 { // a filtered read returns the messages that exist
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

// whole returns everything that is stored in a span; a missing sequence is
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

// slab allocates copies of small byte slices in larger blocks.
type slab []byte

// slabSize bounds the memory that one copy keeps alive, unless the copy itself is larger.
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
