package knowledge

import (
	"cmp"
	"slices"
)

// Worths lists the declared worths by rank.
func Worths() []Worth {
	return slices.SortedFunc(slices.Values(worths), func(a, b Worth) int { return cmp.Compare(a.Rank, b.Rank) })
}

// ShortLogs shortens the logs in a text.
var ShortLogs = shortLogs
