package copies_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"journal/embedded/copies"
)

// Ranges hold exactly the added sequences, for any order. They ascend, with gaps between them.
func TestRanges(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		var seqs []uint64
		all := rapid.SliceOf(rapid.Custom(func(rt *rapid.T) copies.Range {
			first := rapid.Uint64Range(1, 40).Draw(rt, "first")
			return copies.Range{First: first, Last: rapid.Uint64Range(first, 42).Draw(rt, "last")}
		})).Draw(rt, "ranges")
		for _, x := range all {
			for seq := x.First; seq <= x.Last; seq++ {
				seqs = append(seqs, seq)
			}
		}
		slices.Sort(seqs)
		r := copies.RangesOf(all)
		var held []uint64
		for i, x := range r {
			if x.First > x.Last || i > 0 && x.First <= r[i-1].Last+1 {
				rt.Fatalf("%v of %v", r, seqs)
			}
			for seq := x.First; seq <= x.Last; seq++ {
				held = append(held, seq)
			}
		}
		if want := slices.Compact(seqs); !slices.Equal(held, want) || r.Count() != uint64(len(want)) {
			rt.Fatalf("%v, %d of them, of %v", r, r.Count(), seqs)
		}
	})
	single := func(seqs ...uint64) (all []copies.Range) {
		for _, seq := range seqs {
			all = append(all, copies.Range{First: seq, Last: seq})
		}
		return all
	}
	r := copies.RangesOf(single(12, 1, 3, 4, 6, 8, 10, 11))
	if got, want := r.String(), "#1, #3-#4, #6, #8, #10-#12"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := copies.RangesOf(single(1, 3, 5, 7, 9, 11, 13)).String(), "#1, #3, #5, #7, #9, 2 more ranges"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if none := copies.RangesOf(nil); none.String() != "" || none.Count() != 0 || strings.TrimSpace(none.String()) != "" {
		t.Errorf("nothing is %q", none)
	}
}
