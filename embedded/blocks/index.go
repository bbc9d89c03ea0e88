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

// index knows where each message of a stream lies, and under which subject.
type index struct {
	stream  Stream
	blocks  []*indexedBlock
	first   uint64   // sequence of the first message
	offsets []uint32 // in its block, of each message from first on
	leaves  map[string]*leaf
	filters map[string]*selection // those that were asked for
	window  []byte
}

// indexedBlock is a block, as far as it is in the index.
type indexedBlock struct {
	block
	first uint64
	end   int64 // offset after the last message
}

// leaf is a subject and the messages under it.
type leaf struct {
	subject string
	holds   []uint32 // distance of their sequences to the first one's, rising
}

// selection is a filter and the leaves of the subjects that it names: a fold asks for the same few
// types of all sessions again and again, and there are many sessions.
type selection struct {
	filter
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
	return x.first + uint64(len(x.offsets)) - 1
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
	var bad error
	end, err := b.block.walk(ctx, &x.window, b.end, func(at int64, record []byte) bool {
		seq, subject := sequence(record), subjectOf(record)
		if x.first == 0 {
			x.first = seq
		}
		if seq != x.first+uint64(len(x.offsets)) || subject == nil || at >= 1<<32 || len(x.offsets) == 1<<32-1 {
			bad = fmt.Errorf("%w: #%d follows #%d", errMisfit, seq, x.last())
			return false
		}
		if b.first == 0 {
			b.first = seq
		}
		leaf := x.leaves[string(subject)]
		if leaf == nil {
			leaf = x.leaf(string(subject))
		}
		leaf.holds = append(leaf.holds, uint32(len(x.offsets)))
		x.offsets = append(x.offsets, uint32(at))
		return seq < until
	})
	b.end = end
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

// leavesOf gives the leaves that a filter names.
func (x *index) leavesOf(of string) []*leaf {
	f := x.filters[of]
	if f == nil {
		if len(x.filters) >= maxFilters {
			clear(x.filters)
		}
		f = &selection{filter: newFilter(of)}
		for subject, l := range x.leaves {
			if f.names(subject) {
				f.leaves = append(f.leaves, l)
			}
		}
		x.filters[of] = f
	}
	return f.leaves
}

// all gives where the messages of a span lie.
func (x *index) all(after, until uint64) []hit {
	places := make([]uint32, until-after)
	for i := range places {
		places[i] = uint32(after + 1 - x.first + uint64(i))
	}
	return x.at(places)
}

// named gives where the messages of a span lie whose subject one of the filters
// names, in order.
func (x *index) named(after, until uint64, filters []string) []hit {
	from := uint32(after + 1 - x.first)
	to := uint32(until - x.first)
	var found []uint32
	for _, f := range filters {
		for _, l := range x.leavesOf(f) {
			if l.holds[len(l.holds)-1] < from {
				continue
			}
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
	return x.at(slices.Compact(found))
}

// at gives where messages lie, given their ascending distances from the first one.
func (x *index) at(places []uint32) []hit {
	all := make([]hit, len(places))
	block := 0
	for i, n := range places {
		seq := x.first + uint64(n)
		for block+1 < len(x.blocks) && x.blocks[block+1].first != 0 && x.blocks[block+1].first <= seq {
			block++
		}
		b := x.blocks[block]
		h := hit{seq: seq, in: b, from: int64(x.offsets[n]), to: b.end}
		if k := int(n) + 1; k < len(x.offsets) && int64(x.offsets[k]) > h.from {
			h.to = int64(x.offsets[k]) // the next one lies in the same block
		}
		all[i] = h
	}
	return all
}
