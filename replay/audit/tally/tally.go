// Package tally counts how an audit's "kept" meets what readers said of the same
// items.
package tally

import (
	"fmt"
	"io"
	"maps"
	"slices"
)

// Tally counts items by what a reader said and what the audit found.
type Tally struct{ Hit, Wrong, Missed, Right int }

// With counts one more item: whether a reader calls it kept, and whether the audit
// found it.
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

// Precision is the share of what was found that is kept, 1 where nothing was found.
func (t Tally) Precision() float64 { return share(t.Hit, t.Hit+t.Wrong) }

// Recall is the share of what is kept that was found, 1 where nothing is kept.
func (t Tally) Recall() float64 { return share(t.Hit, t.Hit+t.Missed) }

func share(n, of int) float64 {
	if of == 0 {
		return 1
	}
	return float64(n) / float64(of)
}

// All is the group that every item is in.
const All = "all"

// Groups are the tallies of a set of items by the name of a group.
type Groups map[string]Tally

// Count counts an item in All and in the groups named.
func (g Groups) Count(kept, found bool, groups ...string) {
	for _, name := range append(groups, All) {
		g[name] = g[name].With(kept, found)
	}
}

// Write writes a table with a row for each group, in the order of their names.
func (g Groups) Write(w io.Writer, title string) {
	fmt.Fprintf(w, "%-28s %9s %6s %5s %6s %7s %6s\n", title, "precision", "recall", "hit", "wrong", "missed", "right")
	for _, name := range slices.Sorted(maps.Keys(g)) {
		t := g[name]
		fmt.Fprintf(w, "  %-26s %9.3f %6.3f %5d %6d %7d %6d\n", name, t.Precision(), t.Recall(), t.Hit, t.Wrong, t.Missed, t.Right)
	}
}
