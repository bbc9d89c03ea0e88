package cli

import (
	"fmt"
	"strings"

	"journal/events/text"
)

// grid is a table for people. Widths of cells are display widths, in any
// script. Columns of numbers are aligned right.
type grid struct {
	rows    [][]any
	widths  []int
	numbers []bool
}

// Gap separates two columns.
const Gap = "  "

// Table prints rows for people, with cells in columns and lines cut to the width of the
// terminal. fill calls row for each row.
func (t *Terminal) Table(fill func(row func(cells ...any))) {
	var g grid
	fill(func(cells ...any) {
		for i, c := range cells {
			if s, foreign := c.(string); foreign {
				cells[i] = Flat(s)
			}
		}
		g.rows = append(g.rows, cells)
	})
	g.measure()
	for _, cells := range g.rows {
		fmt.Fprintln(t.Out, text.CutColumns(g.line(cells), t.Width()))
	}
}

func (g *grid) measure() {
	for _, cells := range g.rows {
		more := max(0, len(cells)-len(g.widths))
		g.widths = append(g.widths, make([]int, more)...)
		g.numbers = append(g.numbers, make([]bool, more)...)
		for i, c := range cells {
			g.widths[i] = max(g.widths[i], text.Columns(fmt.Sprint(c)))
			_, number := c.(int)
			g.numbers[i] = g.numbers[i] || number
		}
	}
}

func (g *grid) line(cells []any) string {
	var b strings.Builder
	for i, c := range cells {
		cell := fmt.Sprint(c)
		room := strings.Repeat(" ", g.widths[i]-text.Columns(cell))
		if g.numbers[i] {
			cell = room + cell
		} else {
			cell += room
		}
		b.WriteString(cell + Gap)
	}
	return strings.TrimRight(b.String(), " ")
}
