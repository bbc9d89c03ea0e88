package ui

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"journal/cmd/journal/cli"
	"journal/cmd/journal/cli/usage"
	"journal/cmd/journal/page"
	"journal/embedded/catalogue"
	"journal/events"
	"journal/events/text"
)

// costView is the page about what requests to models used.
type costView struct {
	Since   string
	Days    int // of the span
	Spans   []int
	Figures []page.Figure
	Tables  []costTable
	Unknown int // sessions whose usage is unknown
}

// costTable is what each day, model or project used.
type costTable struct {
	Name string // of its phrase, after "cost-"
	Rows []*costRow
}

// costRow is what a day, a model or a project used.
type costRow struct {
	Name, Path string // Path is empty if it has no page
	Requests   int
	Unpriced   int // requests without a price
	Tokens     events.Tokens
	price      float64
	Percent    int // of the greatest row
}

// All returns the tokens, in short.
func (r costRow) All() string { return text.Short(r.Tokens.Sum()) }

// Output returns the tokens of answers, in short.
func (r costRow) Output() string { return text.Short(r.Tokens.Output) }

// Price returns the price; a part of the requests may have none.
func (r costRow) Price() string {
	switch {
	case r.Unpriced == r.Requests:
		return "?"
	case r.Unpriced > 0:
		return fmt.Sprintf("≥ %.2f", r.price)
	}
	return fmt.Sprintf("%.2f", r.price)
}

func (r *costRow) add(u events.TokensUsed, price float64, priced bool) {
	r.Requests += u.Requests
	r.Tokens.Add(u.Tokens)
	r.price += price
	if !priced {
		r.Unpriced += u.Requests
	}
}

// costSpans are the days that the page can be about.
var costSpans = []int{7, 30, 90, 365}

// serveCost shows what the requests of the last days used, by day, model and project.
func (s *Server) serveCost(w http.ResponseWriter, r *http.Request) error {
	v := costView{Days: costSpans[0], Spans: costSpans}
	if days, err := strconv.Atoi(r.FormValue("days")); err == nil && slices.Contains(costSpans, days) {
		v.Days = days
	}
	now := s.config.Now().In(s.config.Zone)
	from := cli.DayOf(now).From.AddDate(0, 0, 1-v.Days)
	v.Since = from.Format(time.DateOnly)
	rows, err := s.list.active(r.Context(), from, now)
	if err != nil {
		return err
	}
	report, err := usage.Of(r.Context(), s.log, rows, from, now, nil)
	if err != nil {
		return err
	}
	v.Unknown = len(report.Unknown)
	v.Tables = []costTable{{Name: "days"}, {Name: "models"}, {Name: "projects"}}
	var all costRow
	for _, turn := range report.Turns {
		price, priced := s.config.Cost(turn.TokensUsed)
		all.add(turn.TokensUsed, price, priced)
		day := turn.At.In(s.config.Zone).Format(time.DateOnly)
		v.Tables[0].row(day, s.base+"/?day="+day).add(turn.TokensUsed, price, priced)
		v.Tables[1].row(cmp.Or(turn.Model, "?"), "").add(turn.TokensUsed, price, priced)
		v.Tables[2].row(s.name(turn.Project), s.base+projectPath(turn.Project)).add(turn.TokensUsed, price, priced)
	}
	for i, t := range v.Tables {
		t.sort(i == 0)
	}
	v.Figures = []page.Figure{{Name: "requests", Value: count(all.Requests)}, {Name: "tokens", Value: all.All()}, {Name: "cached", Value: text.Short(all.Tokens.CacheRead)}, {Name: "output", Value: all.Output()}}
	if all.Unpriced < all.Requests {
		v.Figures = append(v.Figures, page.Figure{Name: "price", Value: all.Price()})
	}
	return s.show(w, r, "cost", s.say(r)("cost", nil), "cost", v)
}

// row returns the row with a name and a path, which it adds if it is new.
func (t *costTable) row(name, path string) *costRow {
	for _, r := range t.Rows {
		if r.Name == name && r.Path == path {
			return r
		}
	}
	t.Rows = append(t.Rows, &costRow{Name: name, Path: path})
	return t.Rows[len(t.Rows)-1]
}

// sort puts the newest day first, or what used most, and sets the shares.
func (t costTable) sort(days bool) {
	most := int64(1)
	for _, r := range t.Rows {
		most = max(most, r.Tokens.Sum())
	}
	for _, r := range t.Rows {
		r.Percent = int(100 * r.Tokens.Sum() / most)
	}
	slices.SortFunc(t.Rows, func(a, b *costRow) int {
		if days {
			return cmp.Compare(b.Name, a.Name)
		}
		return cmp.Or(cmp.Compare(b.Tokens.Sum(), a.Tokens.Sum()), cmp.Compare(a.Name, b.Name))
	})
}

// active lists the sessions that were active between two times.
func (c *sessionList) active(ctx context.Context, from, to time.Time) (rows []*catalogue.Row, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.read(ctx); err != nil {
		return nil, err
	}
	for _, r := range c.table.Rows() {
		if overlaps(r, from.UnixNano(), to.UnixNano()) {
			copied := *r
			rows = append(rows, &copied)
		}
	}
	return rows, nil
}
