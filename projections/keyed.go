package projections

import (
	"maps"
	"slices"
)

// keyed is a List whose elements are found by a key that each has for itself and
// keeps. Like a List it can be added to without changing what an earlier state holds:
// the elements of full chunks are in maps that are never written to again, each at
// least twice as large as the next, and the newest ones are looked at one by one.
// Adding n elements costs n·log n, finding one log n.
type keyed[K comparable, T interface{ key() K }] struct {
	List[T]
	places []map[K]int
}

// of gives the element with a key, and its place.
func (l keyed[K, T]) of(k K) (v T, at int, ok bool) {
	for i, v := range l.newest() {
		if v.key() == k {
			return v, len(l.full)*chunk + i, true
		}
	}
	for _, m := range l.places {
		if at, ok = m[k]; ok {
			return l.Get(at), at, true
		}
	}
	return v, 0, false
}

// with gives the list with one more element, whose key it does not hold.
func (l keyed[K, T]) with(v T) keyed[K, T] {
	full := len(l.full)
	l.List = l.Append(v)
	if len(l.full) == full {
		return l
	}
	added := make(map[K]int, chunk)
	for i, v := range l.full[full] {
		added[v.key()] = full*chunk + i
	}
	n := len(l.places)
	for n > 0 && len(l.places[n-1]) <= len(added) {
		larger := maps.Clone(l.places[n-1])
		maps.Copy(larger, added)
		added = larger
		n--
	}
	l.places = append(slices.Clone(l.places[:n]), added)
	return l
}

// set gives the list with another element of the same key at a place.
func (l keyed[K, T]) set(at int, v T) keyed[K, T] {
	l.List = l.Set(at, v)
	return l
}
