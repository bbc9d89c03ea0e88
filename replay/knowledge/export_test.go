package knowledge

import (
	"cmp"
	"slices"
)

// Worths lists the declared worths by rank, the routine ones last.
func Worths() []Worth {
	last := func(w Worth) int {
		if w.Routine() {
			return 1
		}
		return 0
	}
	return slices.SortedFunc(slices.Values(worths), func(a, b Worth) int {
		return cmp.Or(cmp.Compare(last(a), last(b)), cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.Items, b.Items))
	})
}
