package projections

import (
	"cmp"
	"encoding/json"
	"hash/maphash"
	"iter"
	"reflect"
	"slices"
	"sync/atomic"
)

// chunk is the number of elements in a full chunk of a List.
const chunk = 64

// List is a growing sequence. Folds append to it without changing earlier states. It is a JSON array.
//
// Lists share their full chunks. They also share the newest chunk: an append to the list with the most elements of a chunk writes
// behind them, where no other list reads. An append to a list with fewer of its elements copies the chunk. So n appends copy few
// elements, not n².
type List[T any] struct {
	full [][]T    // chunks of exactly chunk elements, never modified
	open *tail[T] // the newest chunk, nil for none
	n    int      // number of elements of open that belong to the list
}

// tail is the newest chunk of one or more lists.
type tail[T any] struct {
	items []T
	taken atomic.Int64 // number of items that belong to any list; clones of a fold may append concurrently
}

// tailOf returns a tail that starts with copies of values, at most chunk of them. It has room for at least one more, unless they
// fill a chunk.
func tailOf[T any](values []T) *tail[T] {
	t := &tail[T]{items: make([]T, min(chunk, max(4, 2*len(values))))}
	copy(t.items, values)
	t.taken.Store(int64(len(values)))
	return t
}

// newest returns the list's part of the newest chunk.
func (l List[T]) newest() []T {
	if l.n == 0 {
		return nil
	}
	return l.open.items[:l.n]
}

// Append returns the list with one more element.
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

// Set returns the list with v at index i, 0 ≤ i < Len.
func (l List[T]) Set(i int, v T) List[T] {
	if inNewest := i - len(l.full)*chunk; inNewest >= 0 {
		l.open = tailOf(l.newest())
		l.open.items[inNewest] = v
		return l
	}
	l.full = slices.Clone(l.full)
	l.full[i/chunk] = slices.Clone(l.full[i/chunk])
	l.full[i/chunk][i%chunk] = v
	return l
}

// Get returns the element at index i, 0 ≤ i < Len.
func (l List[T]) Get(i int) T {
	if inNewest := i - len(l.full)*chunk; inNewest >= 0 {
		return l.newest()[inNewest]
	}
	return l.full[i/chunk][i%chunk]
}

// Len returns the number of elements.
func (l List[T]) Len() int { return len(l.full)*chunk + l.n }

// Last returns the newest element, if there is one.
func (l List[T]) Last() (v T, ok bool) {
	for v := range l.Backward() {
		return v, true
	}
	return v, false
}

// changeLast returns the list after f has changed the newest matching element, if there is one.
func (l List[T]) changeLast(matches func(T) bool, f func(*T)) List[T] {
	i := l.Len()
	for v := range l.Backward() {
		i--
		if matches(v) {
			f(&v)
			return l.Set(i, v)
		}
	}
	return l
}

// Newest returns the last n elements, oldest first, as a []T, and the length of the list. It is for callers that encode a part of
// a list without knowing T.
func (l List[T]) Newest(n int) (newest any, total int) {
	elems := make([]T, 0, min(n, l.Len()))
	for v := range l.Backward() {
		if len(elems) == n {
			break
		}
		elems = append(elems, v)
	}
	slices.Reverse(elems)
	return elems, l.Len()
}

// All yields the elements, oldest first.
func (l List[T]) All() iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, c := range append(slices.Clip(l.full), l.newest()) {
			for _, v := range c {
				if !yield(v) {
					return
				}
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

// MarshalJSON encodes the list as an array.
func (l List[T]) MarshalJSON() ([]byte, error) {
	return json.Marshal(slices.AppendSeq(make([]T, 0, l.Len()), l.All()))
}

// Equal reports whether two lists hold equal elements; tests compare with it.
func (l List[T]) Equal(m List[T]) bool {
	return reflect.DeepEqual(slices.Collect(l.All()), slices.Collect(m.All()))
}

// marshalList encodes a list; an empty or nil one is an empty list in JSON.
func marshalList[S ~[]T, T any](l S) ([]byte, error) { return json.Marshal(append([]T{}, l...)) }

// firstMatch returns the first matching element, if there is one.
func firstMatch[T any](all []T, matches func(T) bool) (v T, ok bool) {
	if i := slices.IndexFunc(all, matches); i >= 0 {
		return all[i], true
	}
	return v, false
}

// lastOf returns the last elements of a list, at most limit.
func lastOf[S ~[]T, T any](all S, limit int) S { return all[max(0, len(all)-limit):] }

// grown returns a copy of a list with v at its end. It leaves out the first elements if there are more than limit.
func grown[S ~[]T, T any](all S, v T, limit int) S {
	return lastOf(append(slices.Clone(all), v), limit)
}

// keyed is a List whose elements have unique, unchanging keys. Indexes locate the elements of full chunks. An index is never
// modified, and at least twice as large as the next. The elements of the newest chunk are searched one by one. Finding an element
// costs (log n)², and adding n elements n·(log n)².
type keyed[K comparable, T interface{ key() K }] struct {
	List[T]
	indexes [][]hashed // each sorted by hash
}

// hashed is an entry of an index. Different keys may have the same hash. Hashes differ between processes, so no state may
// depend on them.
type hashed struct {
	hash uint64 // of the key
	at   int    // index of the element in the list
}

func byHash(a, b hashed) int { return cmp.Compare(a.hash, b.hash) }

var seed = maphash.MakeSeed()

// find returns the element with a key, and its index. ok is false if there is none.
func (l keyed[K, T]) find(k K) (v T, at int, ok bool) {
	for i, v := range l.newest() {
		if v.key() == k {
			return v, len(l.full)*chunk + i, true
		}
	}
	hash := maphash.Comparable(seed, k)
	for _, index := range l.indexes {
		i, _ := slices.BinarySearchFunc(index, hashed{hash: hash}, byHash)
		for ; i < len(index) && index[i].hash == hash; i++ {
			if v := l.Get(index[i].at); v.key() == k {
				return v, index[i].at, true
			}
		}
	}
	return v, 0, false
}

// with returns the list with one more element, whose key must be new. When the element begins a new chunk, the chunk before it
// gets an index, merged with the indexes that are not larger.
func (l keyed[K, T]) with(v T) keyed[K, T] {
	full := len(l.full)
	l.List = l.Append(v)
	if len(l.full) == full {
		return l
	}
	index := make([]hashed, chunk)
	for i, v := range l.full[full] {
		index[i] = hashed{maphash.Comparable(seed, v.key()), full*chunk + i}
	}
	n := len(l.indexes)
	for n > 0 && len(l.indexes[n-1]) <= len(index) {
		index = slices.Concat(l.indexes[n-1], index)
		n--
	}
	slices.SortFunc(index, byHash)
	l.indexes = append(slices.Clone(l.indexes[:n]), index)
	return l
}

// set returns the list with v in place of the element at an index, which has the same key.
func (l keyed[K, T]) set(at int, v T) keyed[K, T] {
	l.List = l.Set(at, v)
	return l
}
