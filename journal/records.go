package journal

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"journal/events"
	"journal/journal/record"
)

// Records reads the messages of a log's stream from the server's files. It is for
// processes on the same machine, and spares the server one protocol message per record.
type Records interface {
	// Read passes messages to visit in their order, until visit returns false: those behind the sequence after, up to
	// and including the sequence until, whose subjects match one of the filters. Without filters it passes all. Data is
	// valid only during the call of visit. A record with nothing but a sequence means that no copy of the log has this
	// sequence. After an error the caller asks the server for the rest; the messages before the error are correct.
	Read(ctx context.Context, after, until uint64, filters []string, visit func(record.Record) bool) error
}

// Through returns the log that is read through r as far as possible.
func (l *Log) Through(r Records) *Log {
	c := *l
	c.records = r
	return &c
}

// PastHoles returns the log with readers that skip missing sequences. The readers call note with the first and last
// sequence of a missing range, or of a part of the range, in any order and on any goroutine.
func (l *Log) PastHoles(note func(first, last uint64)) *Log {
	c := *l
	c.noteHole = note
	return &c
}

// PastMalformed returns the log whose Events and Follow skip records that cannot be decoded. They call note with each error, on any
// goroutine. With a nil note they return these errors.
func (l *Log) PastMalformed(note func(error)) *Log {
	c := *l
	c.noteMalformed = note
	return &c
}

// hole reports a range of missing sequences to note. Without a note it returns ErrHole, and the reader must stop.
func (l *Log) hole(first, last uint64) error {
	if l.noteHole != nil {
		l.noteHole(first, last)
		return nil
	}
	return fmt.Errorf("read the log: %w: %d to %d", ErrHole, first, last)
}

// remainder is the part of a span that Records could not read. It is empty unless Records failed before ctx ended.
type remainder struct {
	events.Span
	err error // of Records
}

// read returns the messages of a span that Records can read. rest is complete when the reading has ended: the server must be asked
// for it.
func (l *Log) read(ctx context.Context, span events.Span, filters []string) (messages iter.Seq2[record.Record, error], rest *remainder) {
	rest = &remainder{Span: span}
	return func(yield func(record.Record, error) bool) {
		var memory slab
		stopped := false
		err := l.records.Read(ctx, span.After, span.Until, filters, func(r record.Record) bool {
			if r.Subject == "" {
				rest.After = r.Seq
				err := l.hole(r.Seq, r.Seq)
				stopped = err != nil && len(filters) == 0 // a filtered read returns the messages that exist
				if stopped {
					yield(record.Record{}, err)
				}
				return !stopped
			}
			r.Data = memory.copyOf(r.Data)
			stopped = !yield(r, nil)
			rest.After = r.Seq
			return !stopped
		})
		switch {
		case stopped || err == nil:
			rest.After = rest.Until
		case ctx.Err() != nil:
			rest.After = rest.Until
			yield(record.Record{}, ctx.Err())
		}
		rest.err = err
	}, rest
}

// whole returns all stored messages of a span, by sequence. It reports missing
// sequences by hole.
func (l *Log) whole(ctx context.Context, span events.Span) iter.Seq2[record.Record, error] {
	if l.records == nil {
		return l.messages(ctx, span, "")
	}
	return func(yield func(record.Record, error) bool) {
		read, rest := l.read(ctx, span, nil)
		read(yield)
		if rest.After < rest.Until {
			l.messages(ctx, rest.Span, "")(yield)
		}
	}
}

// slab allocates copies of small byte slices in larger blocks.
type slab []byte

// slabSize bounds the memory that one copy keeps alive, unless the copy itself is larger.
const slabSize = 64 << 10

// copyOf returns a copy of b, with no room for more bytes.
func (s *slab) copyOf(b []byte) []byte {
	if cap(*s)-len(*s) < len(b) {
		*s = make([]byte, 0, max(slabSize, len(b)))
	}
	begin := len(*s)
	*s = append(*s, b...)
	return slices.Clip((*s)[begin:])
}
