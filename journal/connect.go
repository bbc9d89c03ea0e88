package journal

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net"
	"time"

	"github.com/nats-io/nats.go"

	"journal/events"
	"journal/journal/record"
	"journal/journal/wire/sock"
)

// connectWait bounds the wait for the greeting of an owner that is there. Who
// connects is a person's command or a follower: a busy machine is no hung owner.
const connectWait = 3 * time.Second

// Connect opens a connection to the owner of a directory. The error is
// sock.ErrNoOwner when there is none.
func Connect(ctx context.Context, dir string) (*nats.Conn, error) {
	timeout := connectWait
	if d, ok := ctx.Deadline(); ok {
		timeout = min(timeout, time.Until(d))
	}
	if timeout <= 0 {
		return nil, fmt.Errorf("connect to the owner: %w", context.DeadlineExceeded)
	}
	d := &dialer{Dialer: sock.Dialer(dir)}
	nc, err := nats.Connect("nats://localhost",
		nats.SetCustomDialer(d),
		nats.Timeout(timeout),
		nats.NoReconnect(),
		// The address is never dialled, and looking it up would read the files of the
		// resolver: 0.1 ms, or as long as the resolver of some machine takes.
		nats.SkipHostLookup(),
		nats.Name("journal"),
	)
	if err != nil {
		if d.err != nil {
			err = d.err // the client hides why a dial did not work
		}
		return nil, fmt.Errorf("connect to the owner: %w", err)
	}
	return nc, nil
}

// dialer keeps the error of its last dial, which the NATS client reports as
// "no servers available".
type dialer struct {
	sock.Dialer
	err error
}

func (d *dialer) Dial(network, address string) (net.Conn, error) {
	conn, err := d.Dialer.Dial(network, address)
	d.err = err
	return conn, err
}

// ErrOffline is returned for what a log cannot do without its owner.
var ErrOffline = errors.New("nobody owns the log")

// Contents is what a server would know of a log: which subject each sequence has. The zero
// value is that of an empty log. It takes 4 bytes of an event.
type Contents struct {
	subjects []string
	number   map[string]uint32 // of a subject
	at       []uint32          // the number of the subject of a sequence, which is its place, from 1
	lost     int
	bytes    uint64
}

// Add takes the record of the next sequence, with a sequence and nothing else where no copy
// has one.
func (c *Contents) Add(r record.Record) {
	n, known := c.number[r.Subject]
	if !known {
		if c.number == nil {
			c.number = map[string]uint32{}
		}
		n = uint32(len(c.subjects))
		c.subjects, c.number[r.Subject] = append(c.subjects, r.Subject), n
	}
	c.at = append(c.at, n)
	c.bytes += uint64(len(r.Data))
	if r.Subject == "" {
		c.lost++
	}
}

// Offline gives the log that r reads, for as long as nobody owns it: nothing can be
// appended, and it cannot be followed. Everything else is as with an owner.
func Offline(r Records, c *Contents) *Log { return &Log{records: r, contents: c} }

func (c *Contents) stats() Stats {
	s := Stats{Events: uint64(len(c.at) - c.lost), Last: uint64(len(c.at)), Bytes: c.bytes, Deleted: c.lost, Subjects: uint64(len(c.subjects))}
	if s.Last > 0 {
		s.First = 1
	}
	return s
}

// selected says of each subject whether a selector names it.
func (c *Contents) selected(sel events.Selector) []bool {
	all := make([]bool, len(c.subjects))
	for i, subj := range c.subjects {
		all[i] = names(sel, subj)
	}
	return all
}

// counts gives how many records each subject has that a selector names.
func (c *Contents) counts(sel events.Selector) map[string]uint64 {
	selected, counts := c.selected(sel), map[string]uint64{}
	for _, n := range c.at {
		if selected[n] {
			counts[c.subjects[n]]++
		}
	}
	return counts
}

// last gives the newest sequence that a selector names, 0 for none.
func (c *Contents) last(sel events.Selector) uint64 {
	selected := c.selected(sel)
	for seq := len(c.at); seq > 0; seq-- {
		if selected[c.at[seq-1]] {
			return uint64(seq)
		}
	}
	return 0
}

// lastOffline is Last without a server.
func (l *Log) lastOffline(ctx context.Context, sel events.Selector) (record.Record, error) {
	seq := l.contents.last(sel)
	if seq == 0 {
		return record.Record{}, ErrNone
	}
	for r, err := range l.messages(ctx, events.Span{After: seq - 1, Until: seq}, "") {
		return r, err
	}
	return record.Record{}, ErrNone // no copy has it
}

// offline is messages without a server.
func (l *Log) offline(ctx context.Context, span events.Span, filter string) iter.Seq2[record.Record, error] {
	return func(yield func(record.Record, error) bool) {
		var filters []string
		if filter != "" {
			filters = []string{filter}
		}
		span.Until = min(span.Until, l.contents.stats().Last)
		messages, rest := l.read(ctx, span, filters)
		for r, err := range messages {
			if !yield(r, err) {
				return
			}
		}
		if rest.After < rest.Until {
			yield(record.Record{}, fmt.Errorf("read the log: %w: %d to %d", ErrHole, rest.After+1, rest.Until))
		}
	}
}

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
