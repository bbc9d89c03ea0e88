package look

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/cmd/journal/cli/usage"
	"journal/cmd/journal/config"
	"journal/events/text"
	"journal/journal"
)

// costDoc holds the tokens and price of requests to models since a point in time.
type costDoc struct {
	Since   string    `json:"since"`
	By      string    `json:"by"`
	Rows    []costRow `json:"rows"`
	Total   costRow   `json:"total"`
	Unknown []string  `json:"unknown"` // sessions of that time whose usage is not known

	names   map[string]string // names of rows for people, by key; a row with an empty name is shown by its key
	lastDay string            // the last day of a session that has no event since Since; empty if there is none
}

// costRow holds the tokens and price of one day, project, session or model.
type costRow struct {
	Key string `json:"key,omitempty"`
	usage.Sum
}

// costFlags are the flags of journal cost.
type costFlags struct {
	since       cli.Moment
	by, project string
}

// costsBy are the values of --by.
var costsBy = []string{"day", "project", "session", "model"}

var _ = cli.Verb(cli.Looking, func(a *cli.App) *cobra.Command {
	var f costFlags
	c := cli.NewCommand("cost", "tokens that requests used, and their price, by day or model",
		`Adds up the tokens of all requests of today and the six days before, or since another time: input, cache reads,
cache writes, and output. Agents write them into their transcripts, from where they get into the log. Requests that an
agent does not report are missing, and so are those for summaries.

  journal cost --since monday --by model

Prices come from the configuration, per million tokens of models whose ids begin with MODEL. cache_write_1h, for
writes that are cached for an hour, is twice the input if it is missing, as Anthropic charges. For models without
prices there, the price is the one that the agent reports, in US dollars.

  {"prices": {"MODEL": {"input": 5, "cache_read": 0.5, "cache_write": 6.25,
                        "cache_write_1h": 10, "output": 25}}}`,
		func(c *cobra.Command, _ []string) error {
			if !slices.Contains(costsBy, f.by) {
				return cli.Usage(fmt.Errorf("--by %q: one of %s", f.by, strings.Join(costsBy, ", ")))
			}
			if f.since.IsZero() {
				f.since.TimeSpan = cli.DayBefore(time.Now(), 6)
			}
			conf, err := config.Load(a.Getenv)
			if err != nil {
				return cli.WithHint(err, "journal config")
			}
			return a.Read(c.Context(), func(log *journal.Log) error {
				doc, err := costOf(c.Context(), a, log, f, conf)
				if err != nil {
					return err
				}
				return a.Print(doc, func() { printCost(a, doc, f.since.From, len(conf.Prices) > 0) })
			})
		})
	c.Flags().Var(&f.since, "since", "only requests since: 3d, monday (journal help times); default: the last seven days, including today")
	c.Flags().StringVar(&f.by, "by", "day", "one row per "+strings.Join(costsBy, ", "))
	c.Flags().StringVar(&f.project, "project", "", "only this project (directory, key, or name)")
	return cli.AllowAgents(a.JSONFlag(c), "since", "by", "json")
})

// costOf adds up the tokens and prices that the flags select. conf has the prices.
func costOf(ctx context.Context, a *cli.App, log *journal.Log, f costFlags, conf config.Config) (costDoc, error) {
	doc := costDoc{Since: f.since.From.UTC().Format(time.RFC3339), By: f.by, Rows: []costRow{}, Unknown: []string{}, names: map[string]string{}}
	table, rows, earlier, err := selectRows(ctx, a, log, f.project, f.since.From)
	if err != nil {
		return doc, err
	}
	doc.lastDay = lastDay(earlier)
	ids, titles := journal.ShortIDs(table.Sessions()), map[string]string{}
	for _, r := range rows {
		titles[r.ID] = r.Title
	}
	report, err := usage.Of(ctx, log, rows, f.since.From, time.Now())
	if err != nil {
		return doc, fmt.Errorf("read the usage of sessions: %w", err)
	}
	doc.Unknown = append(doc.Unknown, report.Unknown...)
	keyOf := map[string]func(*usage.Turn) string{
		"day":     func(t *usage.Turn) string { return t.At.Local().Format(time.DateOnly) },
		"project": func(t *usage.Turn) string { return t.Project },
		"session": func(t *usage.Turn) string { return t.Session },
		"model":   func(t *usage.Turn) string { return t.Model },
	}[f.by]
	by, all := report.By(keyOf, conf.Cost)
	doc.Total.Sum = all
	for key, sum := range by {
		switch f.by {
		case "project":
			doc.names[key] = table.Name(key)
		case "session":
			doc.names[key] = ids[key] + "  " + cli.OneLine(titles[key])
		}
		doc.Rows = append(doc.Rows, costRow{key, *sum})
	}
	if len(doc.Rows) == 0 && len(doc.Unknown) == 0 {
		return doc, a.CheckProject(ctx, log, f.project)
	}
	slices.SortFunc(doc.Rows, func(x, y costRow) int {
		if f.by == "day" {
			return strings.Compare(y.Key, x.Key)
		}
		return cmp.Or(cmp.Compare(y.Price, x.Price), cmp.Compare(y.Tokens(), x.Tokens()), cmp.Compare(x.Key, y.Key))
	})
	return doc, nil
}

const (
	costColumns = 62 // room for the numbers of a row
	minCostName = 12 // bounds of the width of a row's name
	maxCostName = 70
)

// printCost prints the costs for people. configured is set if the configuration has prices.
func printCost(a *cli.App, d costDoc, since time.Time, configured bool) {
	begin := since.Local().Format(minuteFormat)
	if since.Equal(cli.DayOf(since).From) {
		begin = since.Local().Format(time.DateOnly)
	}
	priced := configured || d.Total.Price > 0
	nameColumns := min(max(cmp.Or(a.Width(), cli.LineColumns)-costColumns, minCostName), maxCostName)
	cells := func(name string, numbers ...any) []any { // the last number is the price
		if !priced {
			numbers = numbers[:len(numbers)-1]
		}
		for i, n := range numbers {
			numbers[i] = fmt.Sprintf("%8v", n)
		}
		return append([]any{text.CutColumns(name, nameColumns)}, numbers...)
	}
	used := func(name string, r costRow) []any {
		return cells(name, r.Requests, text.Short(r.Input), text.Short(r.CacheRead), text.Short(r.CacheWrite), text.Short(r.Output), r.Money("unknown"))
	}
	if len(d.Rows) == 0 {
		line := "no request is known since " + begin
		if d.lastDay != "" {
			line += "; for earlier ones: " + a.Advice("journal cost --since "+d.lastDay)
		}
		fmt.Fprintln(a.Out, line)
	} else {
		a.Table(func(row func(...any)) {
			row(cells(strings.ToUpper(d.By), "REQUESTS", "INPUT", "CACHED", "TO CACHE", "OUTPUT", "PRICE")...)
			for _, r := range d.Rows {
				row(used(cmp.Or(d.names[r.Key], r.Key, "unknown"), r)...)
			}
			if len(d.Rows) > 1 {
				row(used("all", d.Total)...)
			}
		})
		fmt.Fprintln(a.Out, "since    "+begin)
	}
	if n := len(d.Unknown); n > 0 {
		a.PrintBeside("unknown  ", text.Counted(n, "session")+": the agent does not report its usage, or the transcript was deleted before it was read")
	}
	if !priced && len(d.Rows) > 0 {
		a.PrintBeside("money    ", "no prices are configured: journal cost --help")
	}
}
