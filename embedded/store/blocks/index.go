package blocks

import (
	"context"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"math"
	"os"
	"slices"

	"journal/journal/record"
)

// errMismatch is returned for an index that does not match the files of the store.
var errMismatch = fmt.Errorf("%w: the index does not match them", ErrUnreadable)

// index maps the messages of a stream to their locations, and subjects to their messages. The older messages are in the index's file, the
// newer messages in memory. The number of a message is its distance from the first message of the log.
type index struct {
	stream   Stream
	blocks   []*indexedBlock
	first    uint64                // sequence of the first message, 0 for none
	saved    table                 // the messages in the file
	offsets  []uint32              // offsets of the messages in memory, each in its block
	subjects map[string]*[]uint32  // ascending numbers of the messages in memory, by subject
	filters  map[string]*selection // cached selections, by filter
	window   []byte                // reused memory
}

// indexedBlock is the part of a block that is in the index.
type indexedBlock struct {
	block
	first uint64 // sequence of its first message, 0 for none
	end   int64  // offset after the last message
}

// selection is a filter with its matching subjects. It is cached because folds read the same few types of many sessions.
type selection struct {
	record.Filter
	saved  []subjectRange
	recent []*[]uint32 // of index.subjects
}

// maxFilters bounds the cached filters.
const maxFilters = 256

// location is the place of a message in a block.
type location struct {
	seq      uint64
	in       *indexedBlock
	from, to int64 // offsets; to is the end of the message, or behind it
}

func newIndex(s Stream) *index {
	return &index{stream: s, subjects: map[string]*[]uint32{}, filters: map[string]*selection{}}
}

// last returns the newest sequence in the index, 0 for none.
func (x *index) last() uint64 {
	if x.first == 0 {
		return 0
	}
	return x.first + uint64(x.len()) - 1
}

// len returns the number of messages in the index.
func (x *index) len() int { return x.saved.offsets.n + len(x.offsets) }

// offset returns the offset of the n-th message in its block.
func (x *index) offset(n int) int64 {
	if saved := x.saved.offsets.n; n >= saved {
		return int64(x.offsets[n-saved])
	}
	return int64(x.saved.offsets.at(n))
}

// extend adds the messages up to a sequence, and no later ones: a message that the server has not acknowledged can still change.
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
			return fmt.Errorf("%w: %s from byte %d", ErrUnreadable, b.name, b.end)
		}
		next := x.stream.block(b.index + 1)
		if _, err := os.Stat(next.path); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%w: #%d", ErrUnreadable, x.last()+1)
		} else if err != nil {
			return fmt.Errorf("%w: %w", ErrUnreadable, err)
		}
		if next.encrypted() {
			return unknownFormat(next.name + " is encrypted")
		}
		x.blocks = append(x.blocks, &indexedBlock{block: next})
	}
}

// walk adds the messages of a block that are not in the index yet, up to a sequence.
func (x *index) walk(ctx context.Context, b *indexedBlock, until uint64) error {
	h := x.stream.recordHash(b.block)
	var bad, err error // bad is the error of the record at badAt
	var badAt int64
	b.end, err = b.block.walk(ctx, &x.window, b.end, func(offset int64, raw []byte) bool {
		if bad = x.add(b, offset, raw, h); bad != nil {
			badAt = offset
			return false
		}
		return x.last() < until
	})
	if bad != nil {
		b.end = badAt
	}
	return errors.Join(bad, err)
}

// add adds the message of a record at an offset of a block. A bad checksum is an error, because the subject may be wrong.
func (x *index) add(b *indexedBlock, offset int64, raw []byte, h hash.Hash) error {
	rec, ok := recordAt(raw, h)
	if !ok {
		return fmt.Errorf("%w: %s at byte %d", ErrUnreadable, b.name, offset)
	}
	subject, _, _ := rec.parts(raw)
	if x.first == 0 {
		x.first = rec.seq
	}
	full := offset > math.MaxUint32 || x.len() == math.MaxUint32 // offsets and numbers have four bytes
	if rec.seq != x.first+uint64(x.len()) || full {
		return fmt.Errorf("%w: #%d follows #%d", errMismatch, rec.seq, x.last())
	}
	if b.first == 0 {
		b.first = rec.seq
	}
	found := x.subjects[string(subject)]
	if found == nil {
		found = x.addSubject(string(subject))
	}
	*found = append(*found, uint32(x.len()))
	x.offsets = append(x.offsets, uint32(offset))
	return nil
}

// addSubject adds a new subject without messages, also to the cached filters that match it.
func (x *index) addSubject(subject string) *[]uint32 {
	messages := new([]uint32)
	x.subjects[subject] = messages
	for _, f := range x.filters {
		if f.Matches(subject) {
			f.recent = append(f.recent, messages)
		}
	}
	return messages
}

// selected returns the selection of a filter.
func (x *index) selected(filter string) *selection {
	f := x.filters[filter]
	if f == nil {
		if len(x.filters) >= maxFilters {
			clear(x.filters)
		}
		f = &selection{Filter: record.ParseFilter(filter)}
		f.saved = x.saved.matching(f.Filter)
		for subject, messages := range x.subjects {
			if f.Matches(subject) {
				f.recent = append(f.recent, messages)
			}
		}
		x.filters[filter] = f
	}
	return f
}

// matching returns the numbers of the messages of a span, in ascending order. With filters it returns only those whose subject matches one
// of the filters.
func (x *index) matching(after, until uint64, filters []string) (found []uint32) {
	from := uint32(after + 1 - x.first)
	to := uint32(until - x.first)
	if len(filters) == 0 {
		for n := from; n <= to; n++ {
			found = append(found, n)
		}
		return found
	}
	for _, f := range filters {
		sel := x.selected(f)
		for _, s := range sel.saved {
			found = x.saved.appendMessages(found, s, from, to)
		}
		for _, messages := range sel.recent {
			begin, _ := slices.BinarySearch(*messages, from)
			end, ended := slices.BinarySearch(*messages, to)
			if ended { // to is one of them
				end++
			}
			found = append(found, (*messages)[begin:end]...)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// locate returns the locations of messages, by their ascending numbers. The error is errMismatch or ErrUnusable.
func (x *index) locate(messages []uint32) ([]location, error) {
	all := make([]location, len(messages))
	block := 0
	for i, n := range messages {
		if int(n) >= x.len() {
			return nil, fmt.Errorf("%w: #%d is not in it", errMismatch, x.first+uint64(n))
		}
		seq := x.first + uint64(n)
		for block+1 < len(x.blocks) && x.blocks[block+1].first != 0 && x.blocks[block+1].first <= seq {
			block++
		}
		b := x.blocks[block]
		m := location{seq: seq, in: b, from: x.offset(int(n)), to: b.end}
		if k := int(n) + 1; k < x.len() && x.offset(k) > m.from {
			m.to = x.offset(k) // the next one is in the same block: the first of a block has offset 0
		}
		if err := x.saved.err(); err != nil {
			return nil, err
		}
		if m.to <= m.from || i > 0 && all[i-1].in == b && all[i-1].to > m.from {
			return nil, fmt.Errorf("%w: #%d has no place", errMismatch, seq)
		}
		all[i] = m
	}
	return all, nil
}
