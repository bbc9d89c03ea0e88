package replay

import (
	"iter"
	"slices"
)

// Cache holds the values that were used last. It is not safe for concurrent use.
type Cache[K comparable, V any] struct {
	max     int
	entries []cacheEntry[K, V] // the entry used last is at the end
}

type cacheEntry[K comparable, V any] struct {
	key   K
	value V
}

// NewCache returns a cache of at most max values.
func NewCache[K comparable, V any](max int) *Cache[K, V] { return &Cache[K, V]{max: max} }

// Get returns the value of a key, which counts as a use. ok is false if the cache has none.
func (c *Cache[K, V]) Get(key K) (value V, ok bool) {
	i := c.index(key)
	if i < 0 {
		return value, false
	}
	e := c.entries[i]
	c.entries = append(slices.Delete(c.entries, i, i+1), e)
	return e.value, true
}

// Peek returns the value of a key, which does not count as a use. ok is false if the cache has none.
func (c *Cache[K, V]) Peek(key K) (value V, ok bool) {
	i := c.index(key)
	if i < 0 {
		return value, false
	}
	return c.entries[i].value, true
}

// index returns the index of a key's entry, -1 for none.
func (c *Cache[K, V]) index(key K) int {
	return slices.IndexFunc(c.entries, func(e cacheEntry[K, V]) bool { return e.key == key })
}

// Put stores the value of a key, in place of an earlier value. If the cache is then too large, it evicts the least recently used
// value, and ok is true.
func (c *Cache[K, V]) Put(key K, value V) (evicted V, ok bool) {
	c.entries = slices.DeleteFunc(c.entries, func(e cacheEntry[K, V]) bool { return e.key == key })
	c.entries = append(c.entries, cacheEntry[K, V]{key, value})
	if len(c.entries) <= c.max {
		return evicted, false
	}
	evicted = c.entries[0].value
	c.entries = slices.Delete(c.entries, 0, 1)
	return evicted, true
}

// Values yields the values, the value used last at the end.
func (c *Cache[K, V]) Values() iter.Seq[V] {
	return func(yield func(V) bool) {
		for _, e := range c.entries {
			if !yield(e.value) {
				return
			}
		}
	}
}

// Clear removes every value.
func (c *Cache[K, V]) Clear() { c.entries = nil }
