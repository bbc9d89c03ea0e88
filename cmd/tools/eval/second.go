package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
)

// draw returns n random items, in the order of their compactions.
func draw(all []reading, n int, seed uint64) []reading {
	drawn := slices.Clone(all)
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(drawn), func(i, j int) { drawn[i], drawn[j] = drawn[j], drawn[i] })
	drawn = drawn[:min(n, len(drawn))]
	slices.SortStableFunc(drawn, func(a, b reading) int {
		return cmp.Or(cmp.Compare(a.session, b.session), cmp.Compare(a.row, b.row))
	})
	return drawn
}

// blind prints items below the summaries of their compactions, each under a name, without any verdict.
func blind(w io.Writer, drawn []reading, name func(label) string) {
	last := ""
	for _, r := range drawn {
		if c := r.compaction(); c != last {
			last = c
			fmt.Fprintf(w, "\n===== %s\n\n%s\n\n===== items of %s\n", c, r.summary, c)
		}
		fmt.Fprintf(w, "\n%s\n%s\n", name(r.label), r.item.text)
		if r.item.detail != "" {
			fmt.Fprintf(w, "=> %s\n", r.item.detail)
		}
	}
}

// agreement counts items by the readers that call them kept.
type agreement struct{ both, neither, first, second int }

// total returns the number of all items.
func (a agreement) total() int { return a.both + a.neither + a.first + a.second }

// share returns the share of items with the same verdict of both.
func (a agreement) share() float64 { return float64(a.both+a.neither) / float64(a.total()) }

// kappa returns Cohen's kappa: the agreement beyond that of chance, 1 for complete agreement.
func (a agreement) kappa() float64 {
	n := float64(a.total())
	first, second := float64(a.both+a.first)/n, float64(a.both+a.second)/n
	chance := first*second + (1-first)*(1-second)
	if chance == 1 {
		return 1
	}
	return (a.share() - chance) / (1 - chance)
}

// compare reads a second reader's lines, the id of an item and kept or lost, and compares them with the labels. differ are the
// labels with another verdict.
func compare(r io.Reader, labels []label) (a agreement, differ []label, err error) {
	by := map[string]label{}
	for _, l := range labels {
		by[l.id()] = l
	}
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		f := strings.Fields(lines.Text())
		if len(f) == 0 || strings.HasPrefix(f[0], "#") {
			continue
		}
		l, known := by[f[0]]
		if len(f) != 2 || !known || !slices.Contains(verdicts, f[1]) {
			return a, nil, fmt.Errorf("line %d is not the id of a label with kept or lost: %q", n, lines.Text())
		}
		delete(by, f[0])
		switch kept := f[1] == "kept"; {
		case l.kept && kept:
			a.both++
		case l.kept:
			a.first++
		case kept:
			a.second++
		default:
			a.neither++
		}
		if l.kept != (f[1] == "kept") {
			differ = append(differ, l)
		}
	}
	if err := lines.Err(); err != nil {
		return a, nil, err
	}
	if a.total() == 0 {
		return a, nil, fmt.Errorf("there is no label of a second reader")
	}
	return a, differ, nil
}
