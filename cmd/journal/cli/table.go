package cli

import (
	"fmt"
	"strings"

	"journal/events/text"
)

// Gap separates two columns.
const Gap = "  "

// Table prints rows for people, with their cells in columns, each line cut to the width of the terminal. A column that has an int
// is aligned right. fill calls row once for each row.
func (t *Terminal) Table(fill func(row func(cells ...any))) {
	var rows [][]string
	var widths []int            // of each column, in columns of the terminal
	hasNumber := map[int]bool{} // by column
	fill(func(cells ...any) {
		row := make([]string, len(cells))
		widths = append(widths, make([]int, max(0, len(cells)-len(widths)))...)
		for i, c := range cells {
			row[i] = Flat(fmt.Sprint(c)) // text may come from the log, with line breaks and control characters
			widths[i] = max(widths[i], text.Columns(row[i]))
			if _, ok := c.(int); ok {
				hasNumber[i] = true
			}
		}
		rows = append(rows, row)
	})
	for _, row := range rows {
		for i, cell := range row {
			padding := strings.Repeat(" ", widths[i]-text.Columns(cell))
			if hasNumber[i] {
				row[i] = padding + cell
			} else {
				row[i] = cell + padding
			}
		}
		fmt.Fprintln(t.Out, text.CutColumns(strings.TrimRight(strings.Join(row, Gap), " "), t.Width()))
	}
}
