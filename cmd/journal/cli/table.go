package cli

import (
	"fmt"
	"strings"

	"journal/events/text"
)

// grid is a table for people. Columns of ints are aligned right.
type grid struct {
	rows    [][]any
	widths  []int  // of each column, in columns of the terminal
	numbers []bool // whether a column has an int
}

// Gap separates two columns.
const Gap = "  "

// Table prints rows for people, with their cells in columns, each line cut to the width of the terminal. fill calls row once for
// each row.
func (t *Terminal) Table(fill func(row func(cells ...any))) {
	var g grid
	fill(func(cells ...any) {
		for i, c := range cells {
			if s, ok := c.(string); ok { // text may come from the log, with line breaks and control characters
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

// measure sets the widths of the columns and whether they have numbers.
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

// line returns a row as text.
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
