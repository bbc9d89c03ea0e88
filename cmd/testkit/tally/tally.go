// Package tally measures how well an audit finds the items that were kept, against the judgement of readers.
package tally

import (
	"fmt"
	"io"
	"maps"
	"slices"
)

// Tally counts items by the judgements of the reader and of the audit.
type Tally struct {
	Hit    int // both find the item kept
	Wrong  int // only the audit finds it kept
	Missed int // only the reader finds it kept
	Right  int // neither finds it kept
}

// With returns the tally with one more item: kept is the reader's judgement, found the audit's.
func (t Tally) With(kept, found bool) Tally {
	switch {
	case kept && found:
		t.Hit++
	case kept:
		t.Missed++
	case found:
		t.Wrong++
	default:
		t.Right++
	}
	return t
}

// Precision returns, of the items that the audit finds kept, the share that the reader finds kept, too; 1 if there are none.
func (t Tally) Precision() float64 { return share(t.Hit, t.Hit+t.Wrong) }

// Recall returns, of the items that the reader finds kept, the share that the audit finds kept, too; 1 if there are none.
func (t Tally) Recall() float64 { return share(t.Hit, t.Hit+t.Missed) }

// share returns n / whole, 1 for a whole of 0.
func share(n, whole int) float64 {
	if whole == 0 {
		return 1
	}
	return float64(n) / float64(whole)
}

// All is the group that has every item.
const All = "all"

// Groups are tallies by group name.
type Groups map[string]Tally

// Count counts an item in All and in the named groups.
func (g Groups) Count(kept, found bool, groups ...string) {
	for _, name := range append(groups, All) {
		g[name] = g[name].With(kept, found)
	}
}

// Write prints a table with a row for each group, sorted by name.
func (g Groups) Write(w io.Writer, title string) {
	fmt.Fprintf(w, "%-28s %9s %6s %5s %6s %7s %6s\n", title, "precision", "recall", "hit", "wrong", "missed", "right")
	for _, name := range slices.Sorted(maps.Keys(g)) {
		t := g[name]
		fmt.Fprintf(w, "  %-26s %9.3f %6.3f %5d %6d %7d %6d\n", name, t.Precision(), t.Recall(), t.Hit, t.Wrong, t.Missed, t.Right)
	}
}
