package knowledge

import "journal/projections"

// Worth is what some items are worth through a compaction. It is declared with their
// kind, by keep or routine, and docs/AUDIT.md has all of them in one table.
type Worth struct {
	// Rank is the place of the items among those worth keeping: the lower, the more their loss
	// hurts. No two Worths share one. 0 is routine: nobody misses the items, or looking finds
	// them again. Routine items are counted and lead no list.
	Rank  int
	Items string // which items, in the plural
}

// Routine says that nobody misses the items.
func (w Worth) Routine() bool { return w.Rank == 0 }

// Mended says that a later run took the place of a command that failed.
func (w Worth) Mended() bool { return w == rerun }

var worths []Worth

// keep declares items that are worth keeping.
func keep(rank int, items string) Worth {
	w := Worth{rank, items}
	worths = append(worths, w)
	return w
}

// routine declares items that are not.
func routine(items string) Worth { return keep(0, items) }

// either makes a Def's Rate of two Worths.
func either(is func(Item) bool, then, other Worth) func(*projections.Fold) func(Item) Worth {
	return func(*projections.Fold) func(Item) Worth {
		return func(i Item) Worth {
			if is(i) {
				return then
			}
			return other
		}
	}
}

// Rate gives a function that says what an item of a fold is worth. It reads the fold once.
func Rate(f *projections.Fold) func(Item) Worth {
	made := map[Kind]func(Item) Worth{}
	return func(i Item) Worth {
		rate := made[i.Kind]
		if rate == nil {
			a := i.Kind.Def().Audit
			rate = func(Item) Worth { return a.Worth }
			if a.Rate != nil {
				rate = a.Rate(f)
			}
			made[i.Kind] = rate
		}
		return rate(i)
	}
}
