package look

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"journal/cmd/journal/cli"
	"journal/events/text"
	"journal/projections"
	"journal/replay/audit"
)

// column is a column of a table, with one cell per row.
type column struct {
	title string
	cells []any
}

// columnOf returns a column with one cell for each element of all.
func columnOf[T, C any](title string, all []T, cell func(T) C) column {
	c := column{title: title}
	for _, v := range all {
		c.cells = append(c.cells, cell(v))
	}
	return c
}

// countColumn is columnOf for numbers. If every number is 0 the column has no cells, so that printColumns leaves it out.
func countColumn[T any](title string, all []T, number func(T) int) column {
	if !slices.ContainsFunc(all, func(v T) bool { return number(v) != 0 }) {
		return column{}
	}
	return columnOf(title, all, number)
}

// tableColumns is the width of a table, in columns of the terminal. On a wider terminal a table may be wider.
const tableColumns = 80

// printColumns prints a table without the columns that have no cells. Columns that do not fit beside the others follow below in
// another block, which repeats the first column.
func printColumns(a *cli.App, first column, rest ...column) {
	rest = slices.DeleteFunc(rest, func(c column) bool { return c.cells == nil })
	for begun := false; !begun || len(rest) > 0; begun = true {
		block, width := []column{first}, first.width()
		for len(rest) > 0 && (len(block) == 1 || width+rest[0].width()-len(cli.Gap) <= max(tableColumns, a.Width())) {
			width += rest[0].width()
			block, rest = append(block, rest[0]), rest[1:]
		}
		if begun {
			fmt.Fprintln(a.Out)
		}
		a.Table(func(row func(...any)) {
			for i := -1; i < len(first.cells); i++ {
				var cells []any
				for _, c := range block {
					cells = append(cells, c.cell(i))
				}
				row(cells...)
			}
		})
	}
}

// cell returns the cell of a row; row -1 is the title.
func (c column) cell(i int) any {
	if i < 0 {
		return c.title
	}
	return c.cells[i]
}

// width returns the width of a column with the gap behind it, in columns of the terminal.
func (c column) width() (width int) {
	for i := -1; i < len(c.cells); i++ {
		width = max(width, text.Columns(fmt.Sprint(c.cell(i))))
	}
	return width + len(cli.Gap)
}

// statusColumns returns a column for each status. If no row has an item with a status, its column has no cells (countColumn).
func statusColumns[T any](all []T, totals func(T) audit.Totals) (columns []column) {
	for _, s := range audit.Statuses() {
		columns = append(columns, countColumn(strings.ToUpper(s.Words()), all, func(v T) int { return totals(v).Of(s) }))
	}
	return columns
}

// printCompactions prints a table with the number of items of each status for each compaction.
func printCompactions(a *cli.App, all []audit.Compaction) {
	if len(all) > 1 {
		fmt.Fprintln(a.Out, "compactions; an item counts at each before which it was known:")
	}
	columns := []column{
		columnOf("WHEN", all, func(c audit.Compaction) string { return c.At.Time().Local().Format("01-02 15:04") }),
		columnOf("TRIGGER", all, func(c audit.Compaction) string { return cli.OneLine(c.Trigger) }),
		columnOf("WORTH", all, func(c audit.Compaction) int { return c.Totals.Known }),
	}
	columns = append(columns, statusColumns(all, func(c audit.Compaction) audit.Totals { return c.Totals })...)
	printColumns(a, columnOf("#", all, func(c audit.Compaction) string {
		if c.Lane != "" {
			return fmt.Sprintf("%d of %s", c.Ordinal, cli.OneLine(c.Lane))
		}
		return fmt.Sprint(c.Ordinal)
	}), columns...)
}

// The headers of the CSV files, which docs/AUDIT.md documents. New columns are added at the end.
var (
	compactionColumns = append([]string{
		"session", "project", "title", "agent", "client", "compaction", "lane", "at", "trigger", "has_summary", "known",
	}, append(statusNames(), "others")...)
	itemColumns = []string{
		"session", "project", "compaction", "lane", "at", "id", "kind", "worth", "status", "share", "seq", "text", "detail", "why",
	}
)

// statusNames returns the names of all statuses.
func statusNames() (names []string) {
	for _, s := range audit.Statuses() {
		names = append(names, string(s))
	}
	return names
}

// printCompactionsCSV prints a row for each compaction of many sessions.
func printCompactionsCSV(a *cli.App, all []sessionAudit) error {
	rows := [][]string{compactionColumns}
	for _, r := range all {
		for _, c := range r.Compactions {
			row := []string{
				r.target.Session, r.target.Project, r.title, c.Agent, c.Client, strconv.Itoa(c.Ordinal), c.Lane, timeCell(c.At),
				c.Trigger, strconv.FormatBool(c.HasSummary),
			}
			row = append(row, strconv.Itoa(c.Totals.Known))
			for _, s := range audit.Statuses() {
				row = append(row, strconv.Itoa(c.Totals.Of(s)))
			}
			rows = append(rows, append(row, strconv.Itoa(c.Others)))
		}
	}
	return printCSV(a, rows)
}

// printItemsCSV prints a row for each item of each compaction of a session.
func printItemsCSV(a *cli.App, t projections.Target, r audit.Report) error {
	rows := [][]string{itemColumns}
	for _, c := range r.Compactions {
		for _, it := range c.ByWorth() {
			share := ""
			if m := it.Evidence.Match; m != nil {
				share = strconv.Itoa(m.Share)
			}
			rows = append(rows, []string{
				t.Session, t.Project, strconv.Itoa(c.Ordinal), c.Lane, timeCell(c.At), it.ID, string(it.Kind), strconv.Itoa(it.Worth),
				string(it.Status), share, strconv.FormatUint(it.Seq, 10),
				it.Text, it.Detail, it.Evidence.Why,
			})
		}
	}
	return printCSV(a, rows)
}

// printCSV prints rows with every cell safe, whatever text it has: clients choose the ids of sessions, too.
func printCSV(a *cli.App, rows [][]string) error {
	w := csv.NewWriter(a.Document())
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = csvText(cell)
		}
		_ = w.Write(cells) // Error returns the first error
	}
	w.Flush()
	return w.Error()
}

// timeCell returns a time for a CSV file.
func timeCell(t projections.Stamp) string { return t.Time().Format(time.RFC3339) }

// csvText makes a text of the log safe in a CSV file: it replaces characters that control a terminal, and puts an apostrophe
// before a text that a spreadsheet would run as a formula. In Korean and Japanese spreadsheets a formula may also begin with a
// full-width character.
func csvText(s string) string {
	s = text.Printable(s)
	if first, _ := utf8.DecodeRuneInString(s); s != "" && strings.ContainsRune("=+-@＝＋－＠\t\n", first) {
		return "'" + s
	}
	return s
}
