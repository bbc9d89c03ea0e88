package blocks

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"sort"
	"strings"
)

// table is what the file of an index says of messages: bytes that are looked at where they lie, because an owner that
// has just started is asked for a few thousand messages of millions. Its subjects are in order of their ends and then
// their beginnings, so that those of one type in all sessions of a project lie together.
type table struct {
	offsets  numbers // of each message in its block, from the first one on
	subjects string  // each with a line end
	ends     []uint32
	kinds    []kind
	holds    numbers  // distances of sequences to the first one's, rising for each subject
	starts   []uint32 // of what each subject holds, and one more
}

// kind is the subjects that end alike.
type kind struct {
	end      string
	from, to int
}

// numbers are four bytes each, little endian.
type numbers []byte

func (n numbers) len() int        { return len(n) / 4 }
func (n numbers) at(i int) uint32 { return binary.LittleEndian.Uint32(n[4*i:]) }

// span gives what of rising numbers lies from one up to and with another.
func (n numbers) span(from, to uint32) numbers {
	begin := sort.Search(n.len(), func(i int) bool { return n.at(i) >= from })
	end := sort.Search(n.len(), func(i int) bool { return n.at(i) > to })
	return n[4*begin : 4*max(begin, end)]
}

// parted gives the two parts of a subject: its first three tokens, which in a log are its root, the project and the
// session, and the rest. A shorter subject has no rest.
func parted(subject string) (beginning, end string) {
	at := 0
	for range 3 {
		n := strings.IndexByte(subject[at:], '.')
		if n < 0 {
			return subject, ""
		}
		at += n + 1
	}
	return subject[:at], subject[at:]
}

// byEnd orders the subjects of a table.
func byEnd(a, b string) int {
	aBegin, aEnd := parted(a)
	bBegin, bEnd := parted(b)
	if c := strings.Compare(aEnd, bEnd); c != 0 {
		return c
	}
	return strings.Compare(aBegin, bBegin)
}

// open finds the subjects of a table. It is false when its parts do not fit each other.
func (t *table) open(counts numbers) bool {
	if len(t.subjects) > math.MaxUint32 || t.holds.len() != t.offsets.len() {
		return false
	}
	n := counts.len()
	t.ends, t.starts = make([]uint32, 0, n), make([]uint32, 1, n+1)
	for at, held := 0, uint32(0); at < len(t.subjects); {
		line := strings.IndexByte(t.subjects[at:], '\n')
		i := len(t.ends)
		if line < 0 || i == n || counts.at(i) == 0 || uint64(held)+uint64(counts.at(i)) > uint64(t.holds.len()) {
			return false
		}
		at, held = at+line+1, held+counts.at(i)
		t.ends, t.starts = append(t.ends, uint32(at-1)), append(t.starts, held)
		_, end := parted(t.subject(i))
		if k := len(t.kinds) - 1; k >= 0 && t.kinds[k].end == end {
			t.kinds[k].to = i + 1
		} else {
			t.kinds = append(t.kinds, kind{end, i, i + 1})
		}
	}
	return len(t.ends) == n && int(t.starts[n]) == t.holds.len()
}

func (t *table) subject(i int) string {
	from := uint32(0)
	if i > 0 {
		from = t.ends[i-1] + 1
	}
	return t.subjects[from:t.ends[i]]
}

// held gives where the messages of a subject are.
func (t *table) held(i int) numbers { return t.holds[4*t.starts[i] : 4*t.starts[i+1]] }

// named gives the subjects that a filter names.
func (t *table) named(f filter) (all []int) {
	beginning, _ := parted(f.prefix)
	for _, k := range t.kinds {
		if !f.mayEnd(k.end) {
			continue
		}
		from := k.from + sort.Search(k.to-k.from, func(i int) bool {
			b, _ := parted(t.subject(k.from + i))
			return b >= beginning
		})
		for i := from; i < k.to; i++ {
			subject := t.subject(i)
			if !strings.HasPrefix(subject, beginning) {
				break
			}
			if f.names(subject) {
				all = append(all, i)
			}
		}
	}
	return all
}

// appendTable appends what a table of all that an index knows consists of.
func (x *index) appendTable(b []byte) []byte {
	before := make(map[string]numbers, len(x.saved.ends)+len(x.leaves))
	for subject := range x.leaves {
		before[subject] = nil
	}
	for i := range x.saved.ends {
		before[x.saved.subject(i)] = x.saved.held(i)
	}
	order := slices.SortedFunc(maps.Keys(before), byEnd)
	after := func(subject string) []uint32 {
		if l := x.leaves[subject]; l != nil {
			return l.holds
		}
		return nil
	}
	b = appendLength(b, x.len())
	b = appendAll(append(b, x.saved.offsets...), x.offsets)
	size := 0
	for _, subject := range order {
		size += len(subject) + 1
	}
	b = appendLength(b, size)
	for _, subject := range order {
		b = append(append(b, subject...), '\n')
	}
	b = appendLength(b, len(order))
	for _, subject := range order {
		b = appendLength(b, before[subject].len()+len(after(subject)))
	}
	b = appendLength(b, x.len())
	for _, subject := range order {
		b = appendAll(append(b, before[subject]...), after(subject))
	}
	return b
}

func appendLength(b []byte, n int) []byte { return binary.LittleEndian.AppendUint32(b, uint32(n)) }

func appendAll(b []byte, all []uint32) []byte {
	for _, n := range all {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	return b
}
