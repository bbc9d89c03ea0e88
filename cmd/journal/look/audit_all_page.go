package look

import (
	"fmt"
	"io"
	"time"

	"journal/cmd/journal/cli"
	"journal/cmd/journal/ui/page"
	"journal/embedded/catalogue"
	"journal/journal"
	"journal/replay/audit"
)

// writeSurvey writes what became of what many sessions knew as one page. Every session is
// on it.
func writeSurvey(a *cli.App, s audit.Survival, path string) error {
	doc := page.Survey{About: survivalText(s)}
	if s.Compactions > 0 {
		doc.Headline = s.Totals.Headline()
		doc.Tables = []page.Table{
			{Title: "Week by week, each thing counted at every compaction that knew it", Of: "week", Columns: []string{"compactions", "share lost"}, Rows: rowsOf(s.ByWeek, func(w audit.WeekTotals) page.Row {
				return page.Row{Name: w.Monday, Cells: []string{fmt.Sprint(w.Compactions), percent(w.LostShare())}, Share: page.ShareOf(w.Totals)}
			})},
			{Title: "Sessions, those that lack most first, each thing counted once", Of: "session", Columns: []string{"when", "project", "first request"}, Rows: rowsOf(s.BySession, func(s audit.SessionTotals) page.Row {
				return page.Row{
					Name: journal.ShortID(s.Session), Cells: []string{s.At.Time().Local().Format(time.DateOnly), catalogue.PlainName(s.Project), s.Title}, Share: page.ShareOf(s.Totals),
				}
			})},
			{Title: "Kinds, each thing counted once", Of: "kind", Columns: []string{"share lost"}, Rows: rowsOf(s.ByKind, func(k audit.KindTotals) page.Row {
				return page.Row{Name: string(k.Kind), Cells: []string{percent(k.LostShare())}, Share: page.ShareOf(k.Totals)}
			})},
			{Title: "Clients, each thing counted at every compaction that knew it", Of: "client", Columns: []string{"compactions", "share lost"}, Rows: rowsOf(s.ByClient, func(c audit.ClientTotals) page.Row {
				return page.Row{Name: clientName(c.Agent, c.Client), Cells: []string{fmt.Sprint(c.Compactions), percent(c.LostShare())}, Share: page.ShareOf(c.Totals)}
			})},
		}
	}
	return writeHTML(a, path, fmt.Sprintf("%d compactions", s.Compactions), func(w io.Writer) error { return page.WriteSurvey(w, doc) })
}

func rowsOf[T any](all []T, row func(T) page.Row) (rows []page.Row) {
	for _, v := range all {
		rows = append(rows, row(v))
	}
	return rows
}

func percent(n int) string { return fmt.Sprintf("%d %%", n) }
