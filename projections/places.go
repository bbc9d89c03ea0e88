package projections

import (
	"maps"
	"slices"
)

// places finds by a key where an element of a List stands. Like a List it can be
// added to without changing what an earlier state holds: it consists of maps that are
// never written to again, each at least twice as large as the next. Adding n keys
// costs n·log n, finding one log n.
type places[K comparable] []map[K]int

// of gives the place of a key.
func (p places[K]) of(k K) (at int, ok bool) {
	for _, m := range p {
		if at, ok = m[k]; ok {
			return at, true
		}
	}
	return 0, false
}

// with gives the places with one more key, which they do not hold.
func (p places[K]) with(k K, at int) places[K] {
	added := map[K]int{k: at}
	n := len(p)
	for n > 0 && len(p[n-1]) <= len(added) {
		larger := maps.Clone(p[n-1])
		maps.Copy(larger, added)
		added = larger
		n--
	}
	return append(slices.Clone(p[:n]), added)
}
