package blocks

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// errMisfit is returned for an index that does not fit the files.
var errMisfit = fmt.Errorf("%w as it was", ErrUnreadable)

// index knows where each message of a stream lies, and under which subject: what the
// file says, and what came after that.
type index struct {
	stream  Stream
	blocks  []*indexedBlock
	first   uint64 // sequence of the first message
	saved   table
	offsets []uint32              // in its block, of each message after the saved ones
	leaves  map[string]*leaf      // of these
	filters map[string]*selection // those that were asked for
	window  []byte
}

// indexedBlock is a block, as far as it is in the index.
type indexedBlock struct {
	block
	first uint64
	end   int64 // offset after the last message
}

// leaf is a subject and the messages under it that the file does not know.
type leaf struct {
	subject string
	holds   []uint32 // distance of their sequences to the first one's, rising
}

// selection is a filter and the subjects that it names: a fold asks for the same few
// types of all sessions again and again, and there are many sessions.
type selection struct {
	filter
	saved  []stretch
	leaves []*leaf
}

// maxFilters bounds the filters that are remembered.
const maxFilters = 256

// hit is where a message lies.
type hit struct {
	seq      uint64
	in       *indexedBlock
	from, to int64
}

func newIndex(s Stream) *index {
	return &index{stream: s, leaves: map[string]*leaf{}, filters: map[string]*selection{}}
}

// last is the newest sequence in the index, 0 for none.
func (x *index) last() uint64 {
	if x.first == 0 {
		return 0
	}
	return x.first + uint64(x.len()) - 1
}

// len is how many messages are in the index.
func (x *index) len() int { return x.saved.offsets.n + len(x.offsets) }

// offset gives where the n-th message begins in its block.
func (x *index) offset(n int) int64 {
	if known := x.saved.offsets.n; n >= known {
		return int64(x.offsets[n-known])
	}
	return int64(x.saved.offsets.at(n))
}

// extend takes in the messages up to a sequence. It goes no further: what the server
// has not acknowledged can still become something else.
func (x *index) extend(ctx context.Context, until uint64) error {
	if until <= x.last() {
		return nil
	}
	if len(x.blocks) == 0 {
		all, err := x.stream.readable()
		if err != nil {
			return err
		}
		if len(all) == 0 {
			return fmt.Errorf("%w: there are no blocks", ErrUnreadable)
		}
		x.blocks = []*indexedBlock{{block: all[0]}}
	}
	for {
		b := x.blocks[len(x.blocks)-1]
		if err := x.walk(ctx, b, until); err != nil || x.last() >= until {
			return err
		}
		if fi, err := os.Stat(b.path); err != nil || fi.Size() != b.end {
			return fmt.Errorf("%w: %s from byte %d on", ErrUnreadable, b.name, b.end)
		}
		next := b.next()
		if _, err := os.Stat(next.path); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%w: #%d", ErrUnreadable, x.last()+1)
		} else if err != nil {
			return fmt.Errorf("%w: %w", ErrUnreadable, err)
		}
		if next.encrypted() {
			return fmt.Errorf("%w: %s is encrypted", ErrUnreadable, next.name)
		}
		x.blocks = append(x.blocks, &indexedBlock{block: next})
	}
}

// next is the block that the server begins when this one is full.
func (b indexedBlock) next() block {
	n := b.block
	n.index++
	file := strconv.Itoa(n.index) + blockEnd
	n.name, n.path = blockDir+"/"+file, filepath.Join(filepath.Dir(n.path), file)
	return n
}

// walk takes in what a block holds more than the index knows, up to a sequence.
func (x *index) walk(ctx context.Context, b *indexedBlock, until uint64) error {
	sum, err := x.stream.sum(b.block)
	if err != nil {
		return err
	}
	var bad error
	var badAt int64
	b.end, err = b.block.walk(ctx, &x.window, b.end, func(at int64, record []byte) bool {
		if _, ok := recordAt(record, sum); !ok { // its subject may be another one
			bad, badAt = fmt.Errorf("%w: %s at byte %d", ErrUnreadable, b.name, at), at
			return false
		}
		seq, subject := sequence(record), subjectOf(record)
		if x.first == 0 {
			x.first = seq
		}
		if seq != x.first+uint64(x.len()) || subject == nil || at >= 1<<32 || x.len() == 1<<32-1 {
			bad, badAt = fmt.Errorf("%w: #%d follows #%d", errMisfit, seq, x.last()), at
			return false
		}
		if b.first == 0 {
			b.first = seq
		}
		leaf := x.leaves[string(subject)]
		if leaf == nil {
			leaf = x.leaf(string(subject))
		}
		leaf.holds = append(leaf.holds, uint32(x.len()))
		x.offsets = append(x.offsets, uint32(at))
		return seq < until
	})
	if bad != nil {
		b.end = badAt
	}
	return errors.Join(bad, err)
}

// leaf makes the leaf of a subject that has none.
func (x *index) leaf(subject string) *leaf {
	l := &leaf{subject: subject}
	x.leaves[subject] = l
	for _, f := range x.filters {
		if f.names(subject) {
			f.leaves = append(f.leaves, l)
		}
	}
	return l
}

// selected gives the subjects that a filter names.
func (x *index) selected(of string) *selection {
	f := x.filters[of]
	if f == nil {
		if len(x.filters) >= maxFilters {
			clear(x.filters)
		}
		f = &selection{filter: newFilter(of)}
		f.saved = x.saved.named(f.filter)
		for subject, l := range x.leaves {
			if f.names(subject) {
				f.leaves = append(f.leaves, l)
			}
		}
		x.filters[of] = f
	}
	return f
}

// named gives the messages of a span whose subject one of the filters names, all of them without filters, in order: by their
// distance from the first one.
func (x *index) named(after, until uint64, filters []string) (found []uint32) {
	from := uint32(after + 1 - x.first)
	to := uint32(until - x.first)
	if len(filters) == 0 {
		for n := from; n <= to; n++ {
			found = append(found, n)
		}
		return found
	}
	for _, f := range filters {
		of := x.selected(f)
		for _, s := range of.saved {
			found = x.saved.count(found, s, from, to)
		}
		for _, l := range of.leaves {
			begin, _ := slices.BinarySearch(l.holds, from)
			some := l.holds[begin:]
			end, last := slices.BinarySearch(some, to)
			if last {
				end++
			}
			found = append(found, some[:end]...)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// at gives where messages lie, given their ascending distances from the first one. The error is errMisfit or errIndex.
func (x *index) at(places []uint32) ([]hit, error) {
	all := make([]hit, len(places))
	block := 0
	for i, n := range places {
		if int(n) >= x.len() {
			return nil, fmt.Errorf("%w: #%d is not in it", errMisfit, x.first+uint64(n))
		}
		seq := x.first + uint64(n)
		for block+1 < len(x.blocks) && x.blocks[block+1].first != 0 && x.blocks[block+1].first <= seq {
			block++
		}
		b := x.blocks[block]
		h := hit{seq: seq, in: b, from: x.offset(int(n)), to: b.end}
		if k := int(n) + 1; k < x.len() && x.offset(k) > h.from {
			h.to = x.offset(k) // the next one lies in the same block
		}
		if err := x.saved.err(); err != nil {
			return nil, err
		}
		if h.to <= h.from || i > 0 && all[i-1].in == b && all[i-1].to > h.from {
			return nil, fmt.Errorf("%w: #%d has no place", errMisfit, seq)
		}
		all[i] = h
	}
	return all, nil
}
