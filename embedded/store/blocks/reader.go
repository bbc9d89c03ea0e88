package blocks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash"
	"slices"
	"sync"

	"journal/journal/disk"
	"journal/journal/record"
)

// ErrUnreadable is returned if a Reader cannot read a message: the store has another format, is damaged there, or ends
// before that message. The server may still have it.
var ErrUnreadable = errors.New("not readable in the store's files")

// ErrUnknown is returned, with ErrUnreadable, for a store in an unknown format, which is not damage (ADR-0012 rule 6).
var ErrUnknown = errors.New("unknown format")

// unknownFormat returns ErrUnknown with its reason.
func unknownFormat(reason string) error {
	return fmt.Errorf("%w: %w: %s", ErrUnreadable, ErrUnknown, reason)
}

// Reader reads the messages of a stream from its files while the server writes to them. That is several times as fast as requests to the
// server. Everything acknowledged is in the files, because the store of a journal is synced with every append. A Reader is safe for
// concurrent use.
//
// The files keep a message that the server deletes, and a Reader returns it. A journal has no such messages: its stream denies deletion, and
// journal forget writes new files, with a mark in the place of each forgotten event.
type Reader struct {
	stream   Stream
	file     string   // of the index, empty for none
	fallback Fallback // nil: damage ends a read

	seek seekPoints

	mu     sync.Mutex
	index  *index // nil before its first use
	opened int    // number of times the file was opened since the last Save
	saved  uint64 // newest sequence in the file
}

// NewReader returns a Reader of a stream. From its first long read by subject it has an index, so that it reads only the wanted messages.
// It reads the part of the index that Save wrote to indexFile from there; each later message takes 8 bytes of memory. With an empty
// indexFile nothing is saved.
func NewReader(s Stream, indexFile string) *Reader { return &Reader{stream: s, file: indexFile} }

// shortSpan is the longest span of which every message is read, whatever the filters: to find the wanted ones in the index takes longer.
const shortSpan = 256

// Read calls visit with the messages after one sequence, up to and including another, in order, until visit returns false. With filters it
// visits only messages whose subject matches one of them. Data is valid only during the call. until is a sequence that the server has
// acknowledged. The error is ErrUnreadable, or that of ctx, of Scan or of the fallback; the messages before it are good. Without a
// fallback, a missing or damaged message is ErrUnreadable.
func (r *Reader) Read(ctx context.Context, after, until uint64, filters []string, visit func(record.Record) bool) error {
	if r.fallback == nil {
		return r.read(ctx, after, until, filters, visit)
	}
	fallback := fallbackReader{ctx: ctx, fallback: r.fallback, visit: visit, next: after + 1, until: until}
	err := r.read(ctx, after, until, filters, func(r record.Record) bool {
		fallback.next = r.Seq + 1
		return visit(r)
	})
	if !errors.Is(err, ErrUnreadable) || ctx.Err() != nil {
		return err
	}
	c := cursor{subjects: map[string]match{}}
	c.filter(filters)
	fallback.wants = func(subject string) bool { return c.matchOf([]byte(subject)).wanted }
	return fallback.read(r.stream)
}

// read implements Read without the fallback.
func (r *Reader) read(ctx context.Context, after, until uint64, filters []string, visit func(record.Record) bool) error {
	c := cursor{ctx: ctx, stream: r.stream, seek: &r.seek, subjects: map[string]match{}, visit: visit}
	short := until <= after+shortSpan
	switch {
	case after >= until:
		return nil
	case short && r.hasIndex(): // the index has the places of the messages
		c.filter(filters)
		filters = nil
	case short || len(filters) == 0:
		c.filter(filters)
		return c.readSpan(after, until)
	}
	var err error
	// After the index has changed, a retry continues after the last message that was read. The last retry has an index without a file.
	for range maxOpens + 1 {
		if err = r.readIndexed(&c, after, until, filters); !errors.Is(err, ErrUnusable) {
			break
		}
		r.drop()
		after = max(after, c.last)
	}
	if errors.Is(err, errMismatch) {
		r.drop()
	}
	return err
}

// drop evicts the index from memory.
func (r *Reader) drop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.index = nil
}

// lookupBatch is the number of messages that are located before they are read. It bounds memory.
const lookupBatch = 1 << 12

// readIndexed passes the wanted messages of a span to the cursor. It finds them by the index. The error is ErrUnusable if the index's file
// has changed, errMismatch if the index does not match the store, ErrUnreadable, or that of ctx.
func (r *Reader) readIndexed(c *cursor, after, until uint64, filters []string) error {
	if after >= until || c.stopped {
		return nil
	}
	x, messages, err := r.matching(c.ctx, after, until, filters)
	if err != nil {
		return err
	}
	for batch := range slices.Chunk(messages, lookupBatch) {
		if c.stopped {
			return nil
		}
		all, err := r.locate(x, batch)
		if err != nil {
			return err
		}
		if err := c.readAt(all); err != nil {
			return err
		}
	}
	return nil
}

// hasIndex reports whether an index is in memory. The end of the log is read quickly without an index, so a short read makes none.
func (r *Reader) hasIndex() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.index != nil
}

// matching returns the index, and the numbers of the wanted messages of a span.
func (r *Reader) matching(ctx context.Context, after, until uint64, filters []string) (*index, []uint32, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.index == nil {
		r.load()
	}
	x := r.index
	defer x.saved.close()
	if err := x.extend(ctx, until); err != nil {
		return nil, nil, err
	}
	if after+1 < x.first {
		return nil, nil, fmt.Errorf("%w: #%d", ErrUnreadable, after+1)
	}
	found := x.matching(after, until, filters)
	return x, found, x.saved.err()
}

// locate returns the locations of messages, by their numbers in an index.
func (r *Reader) locate(x *index, messages []uint32) ([]location, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer x.saved.close()
	return x.locate(messages)
}

// cursor is the state of one call of Read.
type cursor struct {
	ctx      context.Context
	stream   Stream
	seek     *seekPoints
	window   []byte           // memory for the records that are read
	filters  []record.Filter  // if there are none, all messages are wanted
	subjects map[string]match // of the messages read so far
	visit    func(record.Record) bool
	next     uint64 // in readSpan, the next sequence to read
	last     uint64 // last sequence read
	stopped  bool   // visit returned false
}

// match is a subject, and whether a filter matches it.
type match struct {
	subject string
	wanted  bool
}

// filter makes the cursor skip messages that match none of some filters.
func (c *cursor) filter(filters []string) {
	for _, f := range filters {
		c.filters = append(c.filters, record.ParseFilter(f))
	}
}

// matchOf returns the match of a subject.
func (c *cursor) matchOf(subject []byte) match {
	w, known := c.subjects[string(subject)]
	if !known {
		w.subject = string(subject)
		w.wanted = len(c.filters) == 0 || slices.ContainsFunc(c.filters, func(f record.Filter) bool { return f.Matches(w.subject) })
		c.subjects[w.subject] = w
	}
	return w
}

// readSpan reads every message of a span, and passes the wanted messages to visit.
func (c *cursor) readSpan(after, until uint64) error {
	blocks, err := c.stream.readable()
	if err != nil {
		return err
	}
	c.next = after + 1
	first, err := blockOf(blocks, c.next)
	if err != nil {
		return err
	}
	for _, b := range blocks[first:] {
		from := c.seek.before(b, c.next)
		end, err := c.readBlock(b, from, until)
		failed := err != nil || end < b.size && c.next <= until
		if failed && from > 0 && !c.stopped && c.ctx.Err() == nil {
			c.seek.reset() // the seek points may be wrong: the store was replaced
			end, err = c.readBlock(b, 0, until)
		}
		if err != nil || c.stopped || c.next > until {
			return err
		}
		if end < b.size {
			return fmt.Errorf("%w: %s from byte %d", ErrUnreadable, b.name, end)
		}
	}
	return fmt.Errorf("%w: #%d", ErrUnreadable, c.next)
}

// readBlock reads a block from an offset on, up to a sequence. It skips the messages before next. end is the offset after the last
// record.
func (c *cursor) readBlock(b block, from int64, until uint64) (end int64, err error) {
	var bad error
	h, due := c.stream.recordHash(b), from+seekEvery
	end, err = b.walk(c.ctx, &c.window, from, func(offset int64, raw []byte) bool {
		switch seq := sequence(raw); {
		case seq < c.next:
			if offset >= due {
				c.seek.note(b, seq, offset)
				due = offset + seekEvery
			}
			return true
		case seq > c.next:
			bad = fmt.Errorf("%w: #%d follows #%d", ErrUnreadable, seq, c.next-1)
			return false
		}
		if bad = c.yield(raw, h); bad != nil {
			return false
		}
		c.next++
		return !c.stopped && c.next <= until
	})
	return end, errors.Join(bad, err)
}

// yield checks a record and passes it to visit if it is wanted.
func (c *cursor) yield(raw []byte, h hash.Hash) error {
	rec, ok := recordAt(raw, h)
	if !ok || rec.erased || rec.deleted || rec.misfit {
		return fmt.Errorf("%w: #%d", ErrUnreadable, sequence(raw))
	}
	subject, header, data := rec.parts(raw)
	c.last = rec.seq
	if w := c.matchOf(subject); w.wanted {
		c.stopped = !c.visit(record.Record{Seq: rec.seq, Subject: w.subject, ID: record.MessageID(header), Data: data})
	}
	return nil
}

// readAt passes the messages at some locations to visit. The locations are in order.
func (c *cursor) readAt(all []location) error {
	for len(all) > 0 && !c.stopped {
		in, n := all[0].in, 1
		for n < len(all) && all[n].in == in {
			n++
		}
		if err := c.readIn(in.block, all[:n]); err != nil {
			return err
		}
		all = all[n:]
	}
	return nil
}

// readIn passes the messages at some locations in one block to visit.
func (c *cursor) readIn(b block, all []location) error {
	f, _, err := disk.Open(b.path)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	defer f.Close()
	h := c.stream.recordHash(b)
	for len(all) > 0 {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		n := adjacent(all)
		from := all[0].from
		if err := readRange(f, &c.window, from, all[n-1].to); err != nil {
			return err
		}
		for _, m := range all[:n] {
			raw := c.window[m.from-from : m.to-from]
			if len(raw) < minimum || sequence(raw) != m.seq {
				return fmt.Errorf("%w: #%d", errMismatch, m.seq)
			}
			if err := c.yield(raw, h); err != nil || c.stopped {
				return err
			}
		}
		all = all[n:]
	}
	return nil
}

// near is the greatest distance of two messages that are read with one call, in bytes: to read those between them is cheaper than another
// call.
const near = 8 << 10

// adjacent returns the number of a block's first locations that are read with one call.
func adjacent(all []location) int {
	for i, m := range all[1:] {
		if before := all[i]; m.from-before.to > near || m.to-all[0].from > windowSize {
			return i + 1
		}
	}
	return len(all)
}

// readable returns the blocks of a stream without an empty last one. The error is ErrUnreadable, also if the format is unknown.
func (s Stream) readable() ([]block, error) {
	_, unknown, err := s.checkDescription()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	if unknown != "" {
		return nil, unknownFormat(unknown)
	}
	blocks, err := s.blocks()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	for _, b := range blocks {
		if b.encrypted() {
			return nil, unknownFormat(b.name + " is encrypted")
		}
	}
	if n := len(blocks); n > 0 && blocks[n-1].size == 0 {
		blocks = blocks[:n-1] // the server has just created this block
	}
	return blocks, nil
}

// blockOf returns the index in blocks of the block with a sequence. The error is ErrUnreadable.
func blockOf(blocks []block, seq uint64) (int, error) {
	var failed error
	i, found := slices.BinarySearchFunc(blocks, seq, func(b block, seq uint64) int {
		first, err := b.firstSequence()
		if err != nil {
			failed = err
		}
		return cmp.Compare(first, seq)
	})
	if !found {
		i--
	}
	if failed == nil && i < 0 {
		failed = fmt.Errorf("%w: #%d", ErrUnreadable, seq)
	}
	return i, failed
}
