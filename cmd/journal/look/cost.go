package look

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/cmd/journal/config"
	"journal/embedded/catalogue"
	"journal/events/text"
	"journal/journal"
	"journal/journal/agents/transcript"
	"journal/replay/day"
)

// costDoc is what requests to models used since a point in time.
type costDoc struct {
	Since   string    `json:"since"`
	By      string    `json:"by"`
	Rows    []costRow `json:"rows"`
	Total   costRow   `json:"total"`
	Unknown []string  `json:"unknown"` // sessions of that time whose usage is not known

	names map[string]string // of rows, for people
}

// costRow is what one day, project, session or model used.
type costRow struct {
	Key      string `json:"key,omitempty"`
	Requests int    `json:"requests"`
	transcript.Tokens
	Price    float64 `json:"price"`    // of the requests with a price
	Unpriced int     `json:"unpriced"` // requests without one
}

// costFlags are the choices of journal cost.
type costFlags struct {
	since       cli.Moment
	by, project string
}

var costsBy = []string{"day", "project", "session", "model"}

var _ = cli.Verb(cli.Looking, func(a *cli.App) *cobra.Command {
	var f costFlags
	c := cli.NewCommand("cost", "tokens that requests used, and their price, by day or model",
		`Adds up the tokens of all requests of the last seven days, or since another time: input, cache reads, cache writes, and
output. Agents report them in their transcripts; sessions whose transcripts do not are counted as unknown.

  journal cost --since monday --by model

Prices come only from the configuration, per million tokens of a model whose id begins with MODEL:

  {"prices": {"MODEL": {"input": 5, "cache_read": 0.5,
                        "cache_write": 6.25, "output": 25}}}`,
		func(c *cobra.Command, _ []string) error {
			if !slices.Contains(costsBy, f.by) {
				return cli.Usage(c, fmt.Errorf("--by %q: one of %s", f.by, strings.Join(costsBy, ", ")))
			}
			if f.since.IsZero() {
				f.since.TimeSpan = cli.TimeSpan{From: time.Now().AddDate(0, 0, -7)}
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
	a.JSONFlag(c)
	c.Flags().Var(&f.since, "since", "only requests since: 3d, monday (journal help times); default 1w")
	c.Flags().StringVar(&f.by, "by", "day", "one row per "+strings.Join(costsBy, ", "))
	c.Flags().StringVar(&f.project, "project", "", "only this project (directory, key, or name)")
	return cli.Paged(cli.Offer(c, "since", "by", "project", "json"))
})

// costOf reads what the sessions of a log used.
func costOf(ctx context.Context, a *cli.App, log *journal.Log, f costFlags, conf config.Config) (costDoc, error) {
	doc := costDoc{Since: f.since.From.UTC().Format(time.RFC3339), By: f.by, Rows: []costRow{}, Unknown: []string{}, names: map[string]string{}}
	table, rows, err := selected(ctx, a, log, f.project, f.since.From)
	if err != nil {
		return doc, err
	}
	ids := journal.ShortIDs(table.Sessions())
	home, err := os.UserHomeDir()
	if err != nil {
		return doc, err
	}
	files, seen := transcript.NewIndex(home, a.Getenv), map[string]bool{}
	show, end := a.ProgressOf("transcripts of", func(n uint64) string { return text.Counted(n, "session") })
	defer end()
	for i, r := range rows {
		show(int64(i), int64(len(rows)))
		if !r.Asked {
			continue
		}
		all, err := spent(ctx, files, r)
		if errors.Is(err, fs.ErrNotExist) {
			doc.Unknown = append(doc.Unknown, r.ID)
			continue
		} else if err != nil {
			return doc, fmt.Errorf("what %s used: %w", ids[r.ID], err)
		}
		for _, one := range all {
			if one.At.Before(f.since.From) || one.ID != "" && seen[one.ID] {
				continue // a fork repeats the requests before it
			}
			seen[one.ID] = true
			key := map[string]string{"day": one.At.Local().Format(time.DateOnly), "project": r.Project, "session": r.ID, "model": one.Model}[f.by]
			doc.names[key] = map[string]string{"project": table.Name(r.Project), "session": ids[r.ID] + "  " + cli.OneLine(r.Title)}[f.by]
			doc.add(key, one, conf)
		}
	}
	if len(doc.Rows) == 0 && len(doc.Unknown) == 0 {
		return doc, a.Knows(ctx, log, f.project)
	}
	slices.SortFunc(doc.Rows, func(a, b costRow) int {
		if f.by == "day" {
			return strings.Compare(b.Key, a.Key)
		}
		return cmp.Compare(b.Output, a.Output)
	})
	return doc, nil
}

// spent lists what the requests of a session used, from all its files. The error is fs.ErrNotExist if that is not known.
func spent(ctx context.Context, files *transcript.Index, r *catalogue.Row) (all []transcript.Spent, err error) {
	format, err := transcript.Of(r.Info.Agent)
	if err != nil || format.Spent == nil {
		return nil, fs.ErrNotExist
	}
	session, _, _ := strings.Cut(r.ID, "~") // a part that was imported beside it
	found, err := files.Of(ctx, format, session, r.Info.Transcript)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, fs.ErrNotExist
	}
	for _, f := range found {
		rows, err := f.Open()
		if err != nil {
			continue // it is gone since, or unreadable
		}
		one, err := format.Spent(transcript.NewRows(rows, format.Limits, nil))
		rows.Close()
		if err != nil {
			return nil, err
		}
		all = append(all, one...)
	}
	return all, nil
}

// add counts a request.
func (d *costDoc) add(key string, one transcript.Spent, conf config.Config) {
	i := slices.IndexFunc(d.Rows, func(r costRow) bool { return r.Key == key })
	if i < 0 {
		i = len(d.Rows)
		d.Rows = append(d.Rows, costRow{Key: key})
	}
	p, priced := conf.Price(one.Model)
	price := (p.Input*float64(one.Input) + p.CacheRead*float64(one.CacheRead) + p.CacheWrite*float64(one.CacheWrite) + p.Output*float64(one.Output)) / 1e6
	for _, r := range []*costRow{&d.Rows[i], &d.Total} {
		r.Requests++
		r.Add(one.Tokens)
		if r.Price += price; !priced {
			r.Unpriced++
		}
	}
}

// costColumns are what the numbers of a row take.
const costColumns = 62

// printCost shows what was used.
func printCost(a *cli.App, d costDoc, since time.Time, priced bool) {
	name := max(cmp.Or(a.Width(), cli.LineColumns)-costColumns, 12)
	show := func(row func(...any), first, requests, input, cached, toCache, output, price string) {
		cells := []any{text.CutColumns(first, name)}
		for _, said := range []string{requests, input, cached, toCache, output, price} {
			cells = append(cells, fmt.Sprintf("%8s", said))
		}
		if !priced {
			cells = cells[:len(cells)-1]
		}
		row(cells...)
	}
	used := func(row func(...any), first string, r costRow) {
		show(row, first, strconv.Itoa(r.Requests), day.Tokens(r.Input), day.Tokens(r.CacheRead), day.Tokens(r.CacheWrite), day.Tokens(r.Output), r.money())
	}
	if len(d.Rows) == 0 {
		fmt.Fprintln(a.Out, "no transcript reports a request since "+since.Local().Format(time.DateOnly))
	} else {
		a.Table(func(row func(...any)) {
			show(row, strings.ToUpper(d.By), "REQUESTS", "INPUT", "CACHED", "TO CACHE", "OUTPUT", "PRICE")
			for _, r := range d.Rows {
				used(row, cmp.Or(d.names[r.Key], r.Key, "unknown"), r)
			}
			if len(d.Rows) > 1 {
				used(row, "all", d.Total)
			}
		})
	}
	if n := len(d.Unknown); n > 0 {
		a.PrintBeside("unknown  ", text.Counted(n, "session")+": the agent does not report it, or the transcript is gone (journal day shows how far the context grew)")
	}
	if !priced && len(d.Rows) > 0 {
		a.PrintBeside("money    ", "no prices are configured: journal cost --help")
	}
}

// money returns the price as text, and how many requests have none.
func (r costRow) money() string {
	switch {
	case r.Unpriced == r.Requests:
		return "unknown"
	case r.Unpriced > 0:
		return fmt.Sprintf("≥ %.2f", r.Price)
	}
	return fmt.Sprintf("%.2f", r.Price)
}
