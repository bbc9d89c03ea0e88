package projections

import (
	"encoding/json"
	"iter"
	"maps"
	"reflect"
	"slices"
	"sync/atomic"
)

// chunk is how many elements of a List lie together.
const chunk = 64

// List is a growing sequence that folds can append to without changing what an
// earlier state holds. It is a JSON array.
//
// Full chunks are shared by all the states that hold them. The newest chunk is too:
// whoever appends first to the state that holds all of it takes the place after its
// elements, which no state before reaches; whoever comes second, from an earlier
// state, copies it. So appending n elements copies few of them, not n².
type List[T any] struct {
	full [][]T // chunks of exactly chunk elements, never written to again
	open *tail[T]
	n    int // elements of open that are the list's
}

// tail is a chunk that is not full yet.
type tail[T any] struct {
	items []T
	taken atomic.Int64 // how many of items are somebody's; clones of a fold may append at once
}

// tailOf gives a tail that begins with some elements and has room for one more.
func tailOf[T any](some []T) *tail[T] {
	t := &tail[T]{items: make([]T, min(chunk, max(4, 2*len(some))))}
	copy(t.items, some)
	t.taken.Store(int64(len(some)))
	return t
}

// newest is the list's part of the newest chunk.
func (l List[T]) newest() []T {
	if l.n == 0 {
		return nil
	}
	return l.open.items[:l.n]
}

// Append gives the list with one more element.
func (l List[T]) Append(v T) List[T] {
	if l.n == chunk {
		l.full = append(slices.Clip(l.full), l.newest())
		l.open, l.n = nil, 0
	}
	if l.open == nil || l.n == len(l.open.items) || !l.open.taken.CompareAndSwap(int64(l.n), int64(l.n+1)) {
		l.open = tailOf(l.newest())
		l.open.taken.Add(1)
	}
	l.open.items[l.n] = v
	l.n++
	return l
}

// Set gives the list with another element at i, 0 ≤ i < Len.
func (l List[T]) Set(i int, v T) List[T] {
	if at := i - len(l.full)*chunk; at >= 0 {
		l.open = tailOf(l.newest())
		l.open.items[at] = v
		return l
	}
	l.full = slices.Clone(l.full)
	l.full[i/chunk] = slices.Clone(l.full[i/chunk])
	l.full[i/chunk][i%chunk] = v
	return l
}

// Get gives the element at i, 0 ≤ i < Len.
func (l List[T]) Get(i int) T {
	if at := i - len(l.full)*chunk; at >= 0 {
		return l.newest()[at]
	}
	return l.full[i/chunk][i%chunk]
}

// Len is the number of elements.
func (l List[T]) Len() int { return len(l.full)*chunk + l.n }

// Last gives the newest element.
func (l List[T]) Last() (T, bool) {
	if l.n > 0 {
		return l.open.items[l.n-1], true
	}
	if n := len(l.full); n > 0 {
		return l.full[n-1][chunk-1], true
	}
	var zero T
	return zero, false
}

// Newest gives the last n elements, oldest first, as a value that is ready for JSON, and how
// many there are in all: who shows a long list need not spell all of it.
func (l List[T]) Newest(n int) (newest any, total int) {
	some := make([]T, 0, min(n, l.Len()))
	for v := range l.Backward() {
		if len(some) == n {
			break
		}
		some = append(some, v)
	}
	slices.Reverse(some)
	return some, l.Len()
}

// All yields the elements, oldest first.
func (l List[T]) All() iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, c := range l.full {
			for _, v := range c {
				if !yield(v) {
					return
				}
			}
		}
		for _, v := range l.newest() {
			if !yield(v) {
				return
			}
		}
	}
}

// Backward yields the elements, newest first.
func (l List[T]) Backward() iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, v := range slices.Backward(l.newest()) {
			if !yield(v) {
				return
			}
		}
		for _, c := range slices.Backward(l.full) {
			for _, v := range slices.Backward(c) {
				if !yield(v) {
					return
				}
			}
		}
	}
}

// MarshalJSON spells the list as an array.
func (l List[T]) MarshalJSON() ([]byte, error) {
	all := make([]T, 0, l.Len())
	return json.Marshal(slices.AppendSeq(all, l.All()))
}

// Equal says whether two lists hold equal elements; comparisons in tests use it.
func (l List[T]) Equal(m List[T]) bool {
	return reflect.DeepEqual(slices.Collect(l.All()), slices.Collect(m.All()))
}

func marshalList[S ~[]T, T any](l S) ([]byte, error) { return json.Marshal(append([]T{}, l...)) }

// first gives the first element that is meant, and whether there is one.
func first[T any](all []T, is func(T) bool) (v T, ok bool) {
	if i := slices.IndexFunc(all, is); i >= 0 {
		return all[i], true
	}
	return v, false
}

// last gives the newest of a list that grew by a few.
func last[S ~[]T, T any](all S, most int) S { return all[max(0, len(all)-most):] }

// grown gives a copy of a list with one more element, of which at most so many stay, the newest.
func grown[S ~[]T, T any](all S, v T, most int) S { return last(append(slices.Clone(all), v), most) }

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
