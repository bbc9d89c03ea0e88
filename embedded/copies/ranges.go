package copies

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"journal/events/text"
)

// Bounds of the number of missing records. A rebuild writes an event for each missing record, and a million of these events take 17 s and
// 280 MB. So one number in a file must not decide how many records are missing.
const (
	// maxHoles is the number of records that may be missing from both copies. It is more than the events of years. More may be missing only
	// before the sequence in the head file.
	maxHoles = 10_000_000
	// freeHoles is the number of records that any file from another machine may lack. holesEach is the number of further records that it
	// may lack for each record that it has.
	freeHoles = 100_000
	holesEach = 10
)

// MayLack reports whether a file from another machine that holds some records may lack a number of others.
func MayLack(holds, missing uint64) bool { return missing <= freeHoles+holesEach*holds }

// Range is a range of sequences, including both ends.
type Range struct {
	First uint64 `json:"first"`
	Last  uint64 `json:"last"`
}

// Ranges is a list of ascending ranges. Between two neighbours at least one sequence is missing.
type Ranges []Range

// RangesOf returns the union of ranges, which may overlap and be in any order.
func RangesOf(all []Range) (r Ranges) {
	for _, x := range slices.SortedFunc(slices.Values(all), func(a, b Range) int { return cmp.Compare(a.First, b.First) }) {
		r.join(x)
	}
	return r
}

// shownRanges is the number of ranges in the result of Ranges.String.
const shownRanges = 5

// String returns the first ranges and the number of the others, for people.
func (r Ranges) String() string {
	var all []string
	for _, x := range r[:min(len(r), shownRanges)] {
		all = append(all, x.String())
	}
	if more := len(r) - shownRanges; more > 0 {
		all = append(all, text.Counted(more, "more range"))
	}
	return strings.Join(all, ", ")
}

// Add adds a sequence, which must not be below the others.
func (r *Ranges) Add(seq uint64) { r.join(Range{seq, seq}) }

// join adds a range, which must not begin below the others.
func (r *Ranges) join(x Range) {
	if n := len(*r); n > 0 && (*r)[n-1].Last+1 >= x.First {
		(*r)[n-1].Last = max((*r)[n-1].Last, x.Last)
		return
	}
	*r = append(*r, x)
}

// Overlap reports whether a range overlaps one of the list.
func (r Ranges) Overlap(x Range) bool {
	i, _ := slices.BinarySearchFunc(r, x.First, func(y Range, seq uint64) int { return cmp.Compare(y.Last, seq) })
	return i < len(r) && r[i].First <= x.Last
}

// Count returns the number of sequences.
func (r Ranges) Count() uint64 {
	n := uint64(0)
	for _, x := range r {
		n += x.Last - x.First + 1
	}
	return n
}

// String returns the range for people: #4 or #4-#9.
func (r Range) String() string {
	if r.First == r.Last {
		return fmt.Sprintf("#%d", r.First)
	}
	return fmt.Sprintf("#%d-#%d", r.First, r.Last)
}
