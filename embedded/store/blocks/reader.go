package blocks

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"os"
	"slices"
	"sync"

	"github.com/minio/highwayhash"

	"journal/journal/disk"
	"journal/journal/record"
)

// ErrUnreadable is returned if a Reader cannot read a message: the store has another format, is damaged there, or ends
// before that message. The server may still have it.
var ErrUnreadable = errors.New("not readable in the store's files")

// Reader reads the messages of a stream from its files while the server writes to it. That is several times as fast as
// asking the server. Everything acknowledged is in the files: the store of a journal is synced with every append. A Reader is
// safe for concurrent use.
type Reader struct {
	stream   Stream
	indexed  bool
	file     string   // of the index, empty for none
	fallback Fallback // nil: damage ends a read

	seek seekPoints

	mu     sync.Mutex
	index  *index // nil before its first use
	opened int    // number of times the file was opened
	saved  uint64 // newest sequence in the file
}

// NewReader returns a Reader of a stream. Long reads by subject need Indexed too.
func NewReader(s Stream) *Reader { return &Reader{stream: s} }

// Indexed lets the reader use an index from the first long read by subject, so that it reads only the wanted messages. Messages that
// Save wrote to the file are looked up there; later ones take 8 bytes of memory each. Without a file nothing is saved. Call it before
// the first use.
func (r *Reader) Indexed(file string) *Reader {
	r.indexed, r.file = true, file
	return r
}

// shortSpan is the longest span that is read message by message, instead of through the index.
const shortSpan = 256

// Read calls each with the messages after one sequence, up to and including another, whose subject matches one of the
// filters, or with all of them without filters, until each returns false. They come in order; without filters a missing
// sequence is an error. Data is valid only during the call. until is a sequence that the server has acknowledged. The error is
// ErrUnreadable or that of ctx; the messages before it are good.
func (r *Reader) Read(ctx context.Context, after, until uint64, filters []string, each func(record.Record) bool) error {
	if r.fallback == nil {
		return r.read(ctx, after, until, filters, each)
	}
	fallback := fallbackReader{ctx: ctx, fallback: r.fallback, each: each, next: after + 1, until: until}
	err := r.read(ctx, after, until, filters, func(r record.Record) bool {
		fallback.next = r.Seq + 1
		return each(r)
	})
	if !errors.Is(err, ErrUnreadable) || ctx.Err() != nil {
		return err
	}
	c := cursor{subjects: map[string]match{}}
	c.filter(filters)
	fallback.wants = func(subject string) bool { return c.wants([]byte(subject)).wanted }
	return fallback.read(r.stream)
}

// read reads without the fallback.
func (r *Reader) read(ctx context.Context, after, until uint64, filters []string, each func(record.Record) bool) error {
	c := cursor{ctx: ctx, stream: r.stream, seek: &r.seek, subjects: map[string]match{}, each: each}
	short := until <= after+shortSpan
	switch {
	case after >= until:
		return nil
	case short && r.hasIndex():
		c.filter(filters)
		filters = nil
	case short || len(filters) == 0:
		c.filter(filters)
		return c.sequence(after, until)
	case !r.indexed:
		return fmt.Errorf("%w: there is no index", ErrUnreadable)
	}
	var err error
	for range maxOpens + 1 { // after a changed index: again, from the last message passed on
		if err = r.readIndexed(&c, after, until, filters); !errors.Is(err, errIndex) {
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

func (r *Reader) drop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.index = nil
}

// lookupBatch is the number of places looked up before their messages are read. It bounds memory.
const lookupBatch = 1 << 12

// readIndexed passes the wanted messages of a span to the cursor, by the index. The error is errIndex if its file changed.
func (r *Reader) readIndexed(c *cursor, after, until uint64, filters []string) error {
	if after >= until || c.stopped {
		return nil
	}
	x, places, err := r.places(c.ctx, after, until, filters)
	if err != nil {
		return err
	}
	for batch := range slices.Chunk(places, lookupBatch) {
		if c.stopped {
			return nil
		}
		hits, err := r.hits(x, batch)
		if err != nil {
			return err
		}
		if err := c.hits(hits); err != nil {
			return err
		}
	}
	return nil
}

// hasIndex reports whether an index is in memory. The end of the log is read quickly without one.
func (r *Reader) hasIndex() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.index != nil
}

// places looks up the wanted messages of a span.
func (r *Reader) places(ctx context.Context, after, until uint64, filters []string) (*index, []uint32, error) {
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

// hits looks up the places of messages.
func (r *Reader) hits(x *index, places []uint32) ([]hit, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer x.saved.close()
	return x.at(places)
}

// cursor is one reading.
type cursor struct {
	ctx      context.Context
	stream   Stream
	seek     *seekPoints
	window   []byte
	filters  []record.Filter  // none: all
	subjects map[string]match // each once
	each     func(record.Record) bool
	last     uint64 // last sequence read
	stopped  bool   // by each
}

// match is a subject, and whether a filter matches it.
type match struct {
	subject string
	wanted  bool
}

// filter makes the cursor skip messages that match no filter.
func (c *cursor) filter(filters []string) {
	for _, f := range filters {
		c.filters = append(c.filters, record.ParseFilter(f))
	}
}

// wants returns the match of a subject.
func (c *cursor) wants(subject []byte) match {
	w, known := c.subjects[string(subject)]
	if !known {
		w.subject = string(subject)
		w.wanted = len(c.filters) == 0 || slices.ContainsFunc(c.filters, func(f record.Filter) bool { return f.Matches(w.subject) })
		c.subjects[w.subject] = w
	}
	return w
}

// sequence yields every message of a span.
func (c *cursor) sequence(after, until uint64) error {
	blocks, err := c.stream.readable()
	if err != nil {
		return err
	}
	next := after + 1
	first, err := blockOf(blocks, next)
	if err != nil {
		return err
	}
	for _, b := range blocks[first:] {
		sum, err := c.stream.sum(b)
		if err != nil {
			return err
		}
		read := func(from int64) (end int64, err error) {
			var bad error
			due := from + seekEvery
			end, err = b.walk(c.ctx, &c.window, from, func(offset int64, raw []byte) bool {
				switch seq := sequence(raw); {
				case seq < next:
					if offset >= due {
						c.seek.note(b, seq, offset)
						due = offset + seekEvery
					}
					return true
				case seq > next:
					bad = fmt.Errorf("%w: #%d follows #%d", ErrUnreadable, seq, next-1)
					return false
				}
				if bad = c.yield(raw, sum); bad != nil {
					return false
				}
				next++
				return !c.stopped && next <= until
			})
			return end, errors.Join(bad, err)
		}
		from := c.seek.before(b, next)
		end, err := read(from)
		if from > 0 && (err != nil || end < b.size && next <= until) && !c.stopped && c.ctx.Err() == nil {
			c.seek.reset() // the block was replaced
			end, err = read(0)
		}
		if err != nil || c.stopped || next > until {
			return err
		}
		if end < b.size {
			return fmt.Errorf("%w: %s from byte %d", ErrUnreadable, b.name, end)
		}
	}
	return fmt.Errorf("%w: #%d", ErrUnreadable, next)
}

// yield checks a record and passes it to each if it is wanted.
func (c *cursor) yield(raw []byte, sum hash.Hash) error {
	rec, ok := recordAt(raw, sum)
	if !ok || rec.erased || rec.deleted || rec.misfit {
		return fmt.Errorf("%w: #%d", ErrUnreadable, sequence(raw))
	}
	subject, header, data := rec.parts(raw)
	c.last = rec.seq
	if w := c.wants(subject); w.wanted {
		c.stopped = !c.each(record.Record{Seq: rec.seq, Subject: w.subject, ID: record.MessageID(header), Data: data})
	}
	return nil
}

// hits yields the messages at some places, which are in order.
func (c *cursor) hits(all []hit) (err error) {
	var in *indexedBlock
	var f *os.File
	var sum hash.Hash
	defer func() {
		if f != nil {
			f.Close()
		}
	}()
	for len(all) > 0 {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		n := adjacent(all)
		group := all[:n]
		all = all[n:]
		if in != group[0].in {
			if f != nil {
				f.Close()
			}
			in = group[0].in
			if f, _, err = disk.Open(in.path); err != nil {
				return fmt.Errorf("%w: %w", ErrUnreadable, err)
			}
			if sum, err = c.stream.sum(in.block); err != nil {
				return err
			}
		}
		from := group[0].from
		if err := readAt(f, &c.window, from, group[n-1].to); err != nil {
			return err
		}
		for _, h := range group {
			raw := c.window[h.from-from : h.to-from]
			if len(raw) < minimum || sequence(raw) != h.seq {
				return fmt.Errorf("%w: #%d", errMismatch, h.seq)
			}
			if err := c.yield(raw, sum); err != nil || c.stopped {
				return err
			}
		}
	}
	return nil
}

// adjacent returns the number of the first places that are read with one call: reading small gaps is cheaper than another call.
func adjacent(all []hit) int {
	for i, h := range all[1:] {
		if before := all[i]; h.in != before.in || h.from-before.to > windowSize/128 || h.to-all[0].from > windowSize {
			return i + 1
		}
	}
	return len(all)
}

// readable returns the blocks of a stream of a known format.
func (s Stream) readable() ([]block, error) {
	_, unknown, err := s.checkDescription()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	if unknown != "" {
		return nil, fmt.Errorf("%w: %s", ErrUnreadable, unknown)
	}
	blocks, err := s.blocks()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	for _, b := range blocks {
		if b.encrypted() {
			return nil, fmt.Errorf("%w: %s is encrypted", ErrUnreadable, b.name)
		}
	}
	if n := len(blocks); n > 0 && blocks[n-1].size == 0 {
		blocks = blocks[:n-1] // just begun
	}
	return blocks, nil
}

// blockOf returns the position of the block with a sequence.
func blockOf(blocks []block, seq uint64) (int, error) {
	var failed error
	i, found := slices.BinarySearchFunc(blocks, seq, func(b block, seq uint64) int {
		first, err := b.first()
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

// sum returns the hash for the records of a block.
func (s Stream) sum(b block) (hash.Hash, error) {
	key := sha256.Sum256(fmt.Appendf(nil, "%s-%d", s.Name, b.index))
	return highwayhash.New64(key[:])
}
