package knowledge

import (
	"sync"

	"journal/projections"
)

// Tier orders items across kinds: the lower, the more needed. The lower tiers fit into the vital part of most recovery
// texts. Each kind puts only its first few items there, so that many of one kind do not crowd out the others.
type Tier int

// The tiers. An item without one gets a tier by its position within its kind.
const (
	Framed   Tier = iota + 1 // in the frame of every text
	Foremost                 // the first item of each kind that is needed at once
	Vital
	Likely
	Useful
	Spare
	Unlisted // in no text: done, promoted, or beyond what a kind may list
)

// Tiers ranks the items of a kind by their position within it.
type Tiers struct {
	Best   Tier // of the first ones; if Best is Vital, the very first is Foremost
	First  int  // the number of items in Best
	Second int  // the number of items in the next tier; the rest is Spare
}

// tier returns the tier of an item by its position among those of its kind, from 0.
func (t Text) tier(i int) Tier {
	switch {
	case t.Frame:
		return Framed
	case t.Most > 0 && i >= t.Most:
		return Unlisted
	case i == 0 && t.Tiers.Best == Vital:
		return Foremost
	case i < t.Tiers.First:
		return t.Tiers.Best
	case i < t.Tiers.First+t.Tiers.Second:
		return t.Tiers.Best + 1
	}
	return Spare
}

// Worth is the importance of items at a compaction. docs/AUDIT.md has a table of those with a Rank.
type Worth struct {
	// Rank orders the items worth keeping: the lower, the more their loss hurts. It is unique, or 0 for items that nobody
	// misses, or that are easy to find again.
	Rank  int
	Items string // the items, in the plural
}

// other is the worth of items that audits only count.
var other Worth

// Stands reports whether a failed command still counts: no later run replaced it.
func (w Worth) Stands() bool { return w == unsolved }

// Rerun reports whether a later run replaced a failed command.
func (w Worth) Rerun() bool { return w == rerun }

// Passed reports whether a failed command no longer counts because the person went on or stopped it.
func (w Worth) Passed() bool { return w == passed }

// worths lists every Worth with a Rank.
var worths []Worth

// worthKeeping declares a Worth with a Rank.
func worthKeeping(rank int, items string) Worth {
	w := Worth{rank, items}
	worths = append(worths, w)
	return w
}

// rateIf returns an Audit.Rate: an item has the worth then if cond is true of it, else the worth otherwise.
func rateIf(cond func(Item) bool, then, otherwise Worth) func(*projections.Fold) func(Item) Worth {
	return func(*projections.Fold) func(Item) Worth {
		return func(i Item) Worth {
			if cond(i) {
				return then
			}
			return otherwise
		}
	}
}

// Rate returns a function that rates items. It reads each kind's part of the fold once.
func Rate(f *projections.Fold) func(Item) Worth {
	rates := map[Kind]func(Item) Worth{}
	return func(i Item) Worth {
		rate := rates[i.Kind]
		if rate == nil {
			a := i.Kind.Def().Audit
			rate = func(Item) Worth { return a.Worth }
			if a.Rate != nil {
				rate = a.Rate(f)
			}
			rates[i.Kind] = rate
		}
		return rate(i)
	}
}

// cache holds values computed from texts: folds of one session have nearly the same ones. It is emptied when it is full. It
// is safe for concurrent use; its values are shared and must not be modified.
type cache[T any] struct {
	compute func(string) T

	lock   sync.Mutex
	values map[string]T
	bytes  int // of the texts
}

// maxCached bounds the texts of a cache, in bytes.
const maxCached = 2 << 20

// get returns the value of a text, computing it if needed.
func (c *cache[T]) get(text string) T {
	c.lock.Lock()
	defer c.lock.Unlock()
	if value, ok := c.values[text]; ok {
		return value
	}
	if c.values == nil || c.bytes > maxCached {
		c.values, c.bytes = map[string]T{}, 0
	}
	value := c.compute(text)
	c.values[text] = value
	c.bytes += len(text)
	return value
}
