package ui

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"time"

	"journal/cmd/journal/cli"
	"journal/cmd/journal/cli/usage"
	"journal/cmd/journal/page"
	"journal/embedded/catalogue"
	"journal/events/text"
)

// costView is the page about the tokens that requests to models used.
type costView struct {
	Since   string // first day of the time span
	Project string // key of the only project that counts; empty: all count
	Days    int    // length of the time span
	Spans   []int  // the lengths that a person can choose
	Figures []page.Figure
	Tables  []costTable
	Unknown int // sessions whose usage is unknown
}

// costTable is a table of use by day, by model or by project.
type costTable struct {
	Name string // its phrase is "cost-" and this name
	Rows []costRow
}

// costRow holds the use of a day, a model or a project.
type costRow struct {
	usage.Sum
	Name, Path string // Path is empty if the day, model or project has no page
	Percent    int    // tokens in percent of those of the greatest row
}

// costSpans are the numbers of days that the page can show.
var costSpans = []int{7, 30, 90, 365}

// byDay is the longest span that is shown by day; a longer one is shown by month.
const byDay = 90

// serveCost shows the tokens that the requests of the last days used, by day, model and project. With the form value figure it
// serves only the number of all tokens, which the page of a project requests for 30 days.
func (s *Server) serveCost(w http.ResponseWriter, r *http.Request) error {
	v := costView{Days: costSpans[0], Spans: costSpans, Project: r.FormValue("project")}
	if days, err := strconv.Atoi(r.FormValue("days")); err == nil && slices.Contains(costSpans, days) {
		v.Days = days
	}
	now := s.config.Now().In(s.config.Zone)
	from := cli.DayBefore(now, v.Days-1).From
	v.Since = from.Format(time.DateOnly)
	rows, err := s.list.rows(r.Context())
	if err != nil {
		return err
	}
	rows = slices.DeleteFunc(rows, func(row catalogue.Row) bool { return v.Project != "" && row.Project != v.Project })
	report, err := usage.Of(r.Context(), s.log, active(rows, from, now), from, now)
	if err != nil {
		return err
	}
	v.Unknown = len(report.Unknown)
	all := s.costTables(&v, report)
	tokens := page.FormatTokens(all.Tokens(), v.Unknown)
	if r.FormValue("figure") != "" {
		return s.write(w, r, "figure", page.Figure{Name: "tokens-month", Value: tokens})
	}
	v.Figures = []page.Figure{{Name: "requests", Value: page.FormatCount(all.Requests)}, {Name: "tokens", Value: tokens}, {Name: "cached", Value: text.Short(all.CacheRead)}, {Name: "output", Value: text.Short(all.Output)}}
	if all.Unpriced < all.Requests {
		v.Figures = append(v.Figures, page.Figure{Name: "price", Value: all.Money("?")})
	}
	return s.show(w, r, "cost", s.say(r)("cost", nil), "cost", v)
}

// costTables fills in the tables of a page, and returns the sum of all use.
func (s *Server) costTables(v *costView, report *usage.Report) (all usage.Sum) {
	layout, pathOfDay := time.DateOnly, func(day string) string { return s.base + "/?day=" + day }
	if v.Days > byDay {
		layout, pathOfDay = "2006-01", func(string) string { return "" }
	}
	for _, table := range []struct {
		name string
		key  func(*usage.Turn) string
		row  func(key string) (name, path string)
	}{
		{"days", func(t *usage.Turn) string { return t.At.In(s.config.Zone).Format(layout) }, func(day string) (string, string) { return day, pathOfDay(day) }},
		{"models", func(t *usage.Turn) string { return t.Model }, func(model string) (string, string) { return cmp.Or(model, "?"), "" }},
		{"projects", func(t *usage.Turn) string { return t.Project }, func(key string) (string, string) { return s.list.projectName(key), s.base + projectPath(key) }},
	} {
		var by map[string]*usage.Sum
		by, all = report.By(table.key, s.config.Cost)
		shown := costTable{Name: table.name}
		most := int64(1)
		for key, sum := range by {
			name, path := table.row(key)
			shown.Rows = append(shown.Rows, costRow{Sum: *sum, Name: name, Path: path})
			most = max(most, sum.Tokens())
		}
		for i := range shown.Rows {
			shown.Rows[i].Percent = int(100 * shown.Rows[i].Tokens() / most)
		}
		slices.SortFunc(shown.Rows, func(a, b costRow) int {
			if table.name == "days" { // the newest first
				return cmp.Compare(b.Name, a.Name)
			}
			return cmp.Or(cmp.Compare(b.Tokens(), a.Tokens()), cmp.Compare(a.Name, b.Name))
		})
		v.Tables = append(v.Tables, shown)
	}
	return all
}
