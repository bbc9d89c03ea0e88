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

// table has rows with a cell for each column. The first row has the titles.
type table [][]any

// always is the title of a column that is printed although every cell is 0.
type always string

// countsTable returns a table with a row for each element of all: the cells that row returns, the number of items worth keeping, and
// that with each status. titles name the cells that row returns.
func countsTable[T any](titles []any, all []T, row func(T) ([]any, audit.Totals)) table {
	titles = append(titles, always("WORTH"))
	for _, s := range audit.Statuses() {
		titles = append(titles, strings.ToUpper(s.Words()))
	}
	t := table{titles}
	for _, v := range all {
		cells, totals := row(v)
		cells = append(cells, totals.Known)
		for _, s := range audit.Statuses() {
			cells = append(cells, totals.Of(s))
		}
		t = append(t, cells)
	}
	return t
}

// columns returns the columns, without those that are empty, or in which every cell is the number 0 and whose title is not an always.
// The first column is always returned.
func (t table) columns() (all [][]any) {
	for i := range t[0] {
		column := make([]any, len(t))
		for k, row := range t {
			column[k] = row[i]
		}
		_, isAlways := column[0].(always)
		if i == 0 || slices.ContainsFunc(column[1:], func(cell any) bool { return isAlways || cell != 0 }) {
			all = append(all, column)
		}
	}
	return all
}

// widthOf returns the width of a column with the gap behind it, in columns of the terminal.
func widthOf(column []any) (width int) {
	for _, cell := range column {
		width = max(width, text.Columns(fmt.Sprint(cell)))
	}
	return width + len(cli.Gap)
}

// tableColumns is the width of a table, in columns of the terminal. On a wider terminal a table may be wider.
const tableColumns = 80

// print prints the columns that columns returns. Columns that do not fit beside the others follow below in another block,
// which repeats the first column.
func (t table) print(a *cli.App) {
	columns := t.columns()
	name, left := columns[0], columns[1:]
	room := max(tableColumns, a.Width()) + len(cli.Gap) // no gap is printed behind the last column
	for blocks := 0; blocks == 0 || len(left) > 0; blocks++ {
		block, width := [][]any{name}, widthOf(name)
		for len(left) > 0 && (len(block) == 1 || width+widthOf(left[0]) <= room) { // each block has one of the columns left
			width += widthOf(left[0])
			block, left = append(block, left[0]), left[1:]
		}
		if blocks > 0 {
			fmt.Fprintln(a.Out)
		}
		a.Table(func(row func(...any)) {
			for i := range t {
				var cells []any
				for _, column := range block {
					cells = append(cells, column[i])
				}
				row(cells...)
			}
		})
	}
}

// printCompactions prints a table with the number of items of each status for each compaction.
func printCompactions(a *cli.App, all []audit.Compaction) {
	if len(all) > 1 {
		fmt.Fprintln(a.Out, "compactions; an item counts at each before which it was known:")
	}
	countsTable([]any{"#", "WHEN", "TRIGGER"}, all, func(c audit.Compaction) ([]any, audit.Totals) {
		number := fmt.Sprint(c.Ordinal)
		if c.Lane != "" {
			number += " of " + cli.OneLine(c.Lane)
		}
		return []any{number, c.At.Time().Local().Format("01-02 15:04"), cli.OneLine(c.Trigger)}, c.Totals
	}).print(a)
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
