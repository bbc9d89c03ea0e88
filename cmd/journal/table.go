package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"journal/events/text"
)

// grid is a table for people: cells of any script, as wide as a terminal shows them.
type grid struct {
	rows   [][]any
	widths []int
}

// gap is what stands between two columns.
const gap = "  "

// table prints rows for people, their cells in columns, the lines cut to the width of the
// terminal. Numbers end at one edge. fill gives the rows.
func (a *app) table(fill func(row func(cells ...any))) { a.columns(0, fill) }

// columns prints a table; with tabwriter.AlignRight all cells end at one edge, and where
// the lines are too long, columns that hold zeros alone are left out.
func (a *app) columns(align uint, fill func(row func(cells ...any))) {
	var g grid
	fill(func(cells ...any) { g.rows = append(g.rows, cells) })
	g.measure()
	right := align == tabwriter.AlignRight
	if width := a.width(); right && width > 0 && g.columns() > width {
		g.leaveOutZeros()
	}
	for _, cells := range g.rows {
		fmt.Fprintln(a.out, text.CutColumns(g.line(cells, right), a.width()))
	}
}

func (g *grid) measure() {
	g.widths = nil
	for _, cells := range g.rows {
		g.widths = append(g.widths, make([]int, max(0, len(cells)-len(g.widths)))...)
		for i, c := range cells {
			g.widths[i] = max(g.widths[i], text.Columns(fmt.Sprint(c)))
		}
	}
}

// columns is how wide the longest line is.
func (g *grid) columns() (sum int) {
	for _, w := range g.widths {
		sum += w + len(gap)
	}
	return max(0, sum-len(gap))
}

// leaveOutZeros removes the columns that say 0 in every row but the first, which is the head.
func (g *grid) leaveOutZeros() {
	for i := len(g.widths) - 1; i >= 0 && len(g.rows) > 1; i-- {
		zero := true
		for _, cells := range g.rows[1:] {
			zero = zero && i < len(cells) && fmt.Sprint(cells[i]) == "0"
		}
		for n, cells := range g.rows {
			if zero {
				g.rows[n] = append(cells[:i:i], cells[i+1:]...)
			}
		}
	}
	g.measure()
}

func (g *grid) line(cells []any, right bool) string {
	var b strings.Builder
	for i, c := range cells {
		said := fmt.Sprint(c)
		room := strings.Repeat(" ", g.widths[i]-text.Columns(said))
		if _, number := c.(int); number || right {
			said = room + said
		} else {
			said += room
		}
		b.WriteString(said + gap)
	}
	return strings.TrimRight(b.String(), " ")
}
