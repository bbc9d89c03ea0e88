package main

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"journal/replay/audit/match"
)

// tally counts items by a reader's judgement and the matcher's verdict.
type tally struct {
	hit, wrong     int // told: rightly, and of items that are lost
	right, false_  int // not told: rightly, and of items that are kept
	keptUn, lostUn int // unclear, by the reader's judgement
}

// add counts an item.
func (t *tally) add(kept bool, a match.Verdict) {
	n := &t.lostUn
	switch {
	case a == match.Found && kept:
		n = &t.hit
	case a == match.Found:
		n = &t.wrong
	case a == match.NotFound && kept:
		n = &t.false_
	case a == match.NotFound:
		n = &t.right
	case kept:
		n = &t.keptUn
	}
	*n++
}

// plus returns the sum of two tallies.
func (t tally) plus(o tally) tally {
	return tally{t.hit + o.hit, t.wrong + o.wrong, t.right + o.right, t.false_ + o.false_, t.keptUn + o.keptUn, t.lostUn + o.lostUn}
}

// precision returns the share of the items that the matcher calls told that are kept.
func (t tally) precision() float64 { return share(t.hit, t.hit+t.wrong) }

// recall returns the share of the kept items that the matcher calls told.
func (t tally) recall() float64 { return share(t.hit, t.hit+t.false_+t.keptUn) }

// certain returns the share of the items that the matcher calls not told that are lost.
func (t tally) certain() float64 { return share(t.right, t.right+t.false_) }

// unclear returns the share of all items that the matcher calls unclear.
func (t tally) unclear() float64 {
	return share(t.keptUn+t.lostUn, t.hit+t.wrong+t.right+t.false_+t.keptUn+t.lostUn)
}

// share returns n / all, 1 for an all of 0.
func share(n, all int) float64 {
	if all == 0 {
		return 1
	}
	return float64(n) / float64(all)
}

// groups are tallies by name.
type groups map[string]tally

// add counts an item in some groups.
func (g groups) add(kept bool, a match.Verdict, names ...string) {
	for _, name := range names {
		t := g[name]
		t.add(kept, a)
		g[name] = t
	}
}

// write prints a table with a row for each group, sorted by name.
func (g groups) write(w io.Writer, title string) {
	fmt.Fprintf(w, "%-20s %9s %6s %9s %8s %5s %6s %6s %6s %8s\n", title, "precision", "recall", "not told", "unclear", "hit", "wrong", "right", "false", "unclear")
	for _, name := range slices.Sorted(maps.Keys(g)) {
		t := g[name]
		fmt.Fprintf(w, "  %-18s %9.3f %6.3f %9.3f %8.3f %5d %6d %6d %6d %8d\n", name, t.precision(), t.recall(), t.certain(), t.unclear(), t.hit, t.wrong, t.right, t.false_, t.keptUn+t.lostUn)
	}
}
