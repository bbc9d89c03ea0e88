package projections

import (
	"encoding/json"
	"iter"
	"reflect"
	"slices"

	"github.com/vmihailenco/msgpack/v5"
)

// chunk is how many elements a List copies at most per Append.
const chunk = 64

// List is a growing sequence that folds can append to without changing what an
// earlier state holds: full chunks are shared, the open one is copied. Appending
// n elements costs n·chunk/2 copies of elements, not n². It is a JSON array.
type List[T any] struct {
	full [][]T // chunks of exactly chunk elements, never written to again
	open []T
}

// Append gives the list with one more element.
func (l List[T]) Append(v T) List[T] {
	if len(l.open) == chunk {
		l.full = append(slices.Clip(l.full), l.open)
		l.open = nil
	}
	open := make([]T, len(l.open)+1)
	copy(open, l.open)
	open[len(l.open)] = v
	l.open = open
	return l
}

// Set gives the list with another element at i, 0 ≤ i < Len.
func (l List[T]) Set(i int, v T) List[T] {
	if at := i - len(l.full)*chunk; at >= 0 {
		l.open = slices.Clone(l.open)
		l.open[at] = v
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
		return l.open[at]
	}
	return l.full[i/chunk][i%chunk]
}

// Len is the number of elements.
func (l List[T]) Len() int { return len(l.full)*chunk + len(l.open) }

// Last gives the newest element.
func (l List[T]) Last() (T, bool) {
	if len(l.open) > 0 {
		return l.open[len(l.open)-1], true
	}
	if n := len(l.full); n > 0 {
		return l.full[n-1][chunk-1], true
	}
	var zero T
	return zero, false
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
		for _, v := range l.open {
			if !yield(v) {
				return
			}
		}
	}
}

// Backward yields the elements, newest first.
func (l List[T]) Backward() iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, v := range slices.Backward(l.open) {
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

func (l List[T]) MarshalJSON() ([]byte, error) {
	all := make([]T, 0, l.Len())
	return json.Marshal(slices.AppendSeq(all, l.All()))
}

func (l List[T]) EncodeMsgpack(enc *msgpack.Encoder) error {
	return enc.Encode(slices.Collect(l.All()))
}

func (l *List[T]) DecodeMsgpack(dec *msgpack.Decoder) error {
	var all []T
	if err := dec.Decode(&all); err != nil {
		return err
	}
	*l = listOf(all)
	return nil
}

// Equal says whether two lists hold equal elements; comparisons in tests use it.
func (l List[T]) Equal(m List[T]) bool {
	return reflect.DeepEqual(slices.Collect(l.All()), slices.Collect(m.All()))
}

func listOf[T any](all []T) List[T] {
	var l List[T]
	for len(all) > chunk {
		l.full = append(l.full, slices.Clip(all[:chunk]))
		all = all[chunk:]
	}
	if len(all) > 0 {
		l.open = slices.Clip(all)
	}
	return l
}

func marshalList[S ~[]T, T any](l S) ([]byte, error) {
	if l == nil {
		return []byte("[]"), nil
	}
	return json.Marshal([]T(l))
}
