package rebuild

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Range is consecutive sequences, both ends included.
type Range struct {
	First uint64 `json:"first"`
	Last  uint64 `json:"last"`
}

// Ranges are ascending ranges that do not touch.
type Ranges []Range

// RangesOf joins ranges, which may come in any order and overlap.
func RangesOf(all []Range) (r Ranges) {
	for _, x := range slices.SortedFunc(slices.Values(all), func(a, b Range) int { return cmp.Compare(a.First, b.First) }) {
		r.join(x)
	}
	return r
}

// shownRanges is how many ranges are named where there is no room for a list.
const shownRanges = 5

// String names the ranges as people read them, the first of many.
func (r Ranges) String() string {
	var all []string
	for _, x := range r[:min(len(r), shownRanges)] {
		all = append(all, x.String())
	}
	if more := len(r) - shownRanges; more > 0 {
		all = append(all, fmt.Sprintf("%d more places", more))
	}
	return strings.Join(all, ", ")
}

// add appends a sequence that is not below those already there.
func (r *Ranges) add(seq uint64) { r.join(Range{seq, seq}) }

// join appends a range that does not begin below those already there.
func (r *Ranges) join(x Range) {
	if n := len(*r); n > 0 && (*r)[n-1].Last+1 >= x.First {
		(*r)[n-1].Last = max((*r)[n-1].Last, x.Last)
		return
	}
	*r = append(*r, x)
}

// Count is the number of sequences.
func (r Ranges) Count() uint64 {
	n := uint64(0)
	for _, x := range r {
		n += x.Last - x.First + 1
	}
	return n
}

// String names the range as people read it: #4 or #4-#9.
func (r Range) String() string {
	if r.First == r.Last {
		return fmt.Sprintf("#%d", r.First)
	}
	return fmt.Sprintf("#%d-#%d", r.First, r.Last)
}
