package look

import (
	"encoding/csv"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"journal/cmd/journal/cli"
	"journal/events/text"
	"journal/projections"
	"journal/replay/audit"
)

// The headers are documented (docs/AUDIT.md); columns are only ever added, at the end.
var (
	compactionColumns = []string{
		"session", "project", "title", "agent", "client", "compaction", "lane", "at", "trigger", "has_summary",
		"known", "kept", "lost", "given_back", "offered", "on_disk", "reviewed", "unknown", "routine",
	}
	itemColumns = []string{
		"session", "project", "compaction", "lane", "at", "id", "kind", "worth", "routine", "status", "share", "seq", "text", "detail", "why",
	}
)

// printCompactionsCSV prints a row for each compaction of many sessions.
func printCompactionsCSV(a *cli.App, all []audited) error {
	rows := [][]string{compactionColumns}
	for _, r := range all {
		for _, c := range r.Compactions {
			row := []string{
				r.target.Session, r.target.Project, cell(r.title), cell(c.Agent), cell(c.Client), strconv.Itoa(c.Ordinal), cell(c.Lane), timeCell(c.At),
				cell(c.Trigger), strconv.FormatBool(c.HasSummary),
			}
			t := c.Totals
			for _, n := range []int{t.Known, t.Kept, t.Lost, t.GivenBack, t.Offered, t.OnDisk, t.Reviewed, t.Unknown, t.Routine} {
				row = append(row, strconv.Itoa(n))
			}
			rows = append(rows, row)
		}
	}
	return csv.NewWriter(a.Document()).WriteAll(rows)
}

// printItemsCSV prints a row for each item of each compaction of a session.
func printItemsCSV(a *cli.App, t projections.Target, r audit.Report) error {
	rows := [][]string{itemColumns}
	for _, c := range r.Compactions {
		for _, it := range c.ByWorth() {
			share := 100
			if it.Partial {
				share = it.Share
			}
			rows = append(rows, []string{
				t.Session, t.Project, strconv.Itoa(c.Ordinal), cell(c.Lane), timeCell(c.At), it.ID, string(it.Kind), strconv.Itoa(it.Worth),
				strconv.FormatBool(it.Routine), string(it.Status), strconv.Itoa(share), strconv.FormatUint(it.Seq, 10),
				cell(it.Text), cell(it.Detail), cell(it.Evidence.Why),
			})
		}
	}
	return csv.NewWriter(a.Document()).WriteAll(rows)
}

func timeCell(at projections.Stamp) string { return at.Time().Format(time.RFC3339) }

// cell keeps a foreign text from being a formula where the file is opened in a
// spreadsheet, and from steering a terminal: an apostrophe comes before what such a
// program would compute, Korean and Japanese ones full-width characters too.
func cell(s string) string {
	s = text.Printable(s)
	if first, _ := utf8.DecodeRuneInString(s); s != "" && strings.ContainsRune("=+-@＝＋－＠\t\n", first) {
		return "'" + s
	}
	return s
}
