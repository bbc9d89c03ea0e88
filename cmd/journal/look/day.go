package look

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/cmd/journal/cli/when"
	"journal/cmd/journal/ui/page"
	"journal/embedded/catalogue"
	"journal/journal"
	"journal/projections"
	"journal/replay/day"
)

// dayDoc is what happened between two times, the newest session first.
type dayDoc struct {
	From     string        `json:"from"`
	To       string        `json:"to"`
	Sessions []day.Session `json:"sessions"`

	span  when.Span
	table *catalogue.Table
	short map[string]string // short ids of sessions
}

var _ = cli.Verb(cli.Daily, func(a *cli.App) *cobra.Command {
	var project, html string
	c := &cobra.Command{
		Use:   "day [today|yesterday|monday|2026-11-20|3d]",
		Short: "what was asked, done and left open on a day",
		Long: `Tells what happened on a day, today where none is named: what is unfinished first, then for each
project and session what was asked, written, decided and refused, what failed and whether it was
mended, what is open, how often the context was compacted and how much was given back (audit says what arrived).

  journal day
  journal day yesterday --project .
  journal day monday --json
  journal day --html day.html

A time that is no whole day, such as 3d or 14:00, is from then until now. How long a session took
leaves out pauses of more than 15 minutes. Tokens are those by which contexts grew: agents tell how full a
context is, not what was sent again with each request nor what it cost. Times are those of whoever reported, so that an imported
session counts on the day it happened.`,
		ValidArgs: []string{"today", "yesterday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"},
		RunE: func(c *cobra.Command, args []string) error {
			if html != "" && a.AsJSON {
				return cli.Usage(c, errors.New("--html and --json are two forms of one answer: give one of them"))
			}
			now := time.Now()
			span, err := when.Parse(strings.Join(append(args, "today")[:1], ""), now)
			if err != nil {
				return cli.Usage(c, err)
			}
			if span.To.Equal(span.From) {
				span.To = now
			}
			return a.Read(c.Context(), func(log *journal.Log) error {
				doc, err := dayOf(c.Context(), a, log, span, project)
				if err != nil {
					return err
				}
				if html != "" {
					return writeHTML(a, html, cli.Counted(len(doc.Sessions), "session"), doc.write)
				}
				return a.Print(doc, func() { printDay(a, doc) })
			})
		},
	}
	a.JSONFlag(c)
	c.Flags().StringVar(&html, "html", "", "write one self-contained page to this file, - is stdout")
	c.Flags().StringVar(&project, "project", "", "only this project (directory, key, or name)")
	return cli.Offer(c, "project", "json")
})

// dayOf reads the sessions in which something happened between two times.
func dayOf(ctx context.Context, a *cli.App, log *journal.Log, span when.Span, project string) (dayDoc, error) {
	doc := dayDoc{From: span.From.UTC().Format(time.RFC3339), To: span.To.UTC().Format(time.RFC3339), Sessions: []day.Session{}, span: span}
	table, err := cli.Catalogue(ctx, a, log)
	if err != nil {
		return doc, err
	}
	confined, err := a.Within(ctx, log)
	if err != nil {
		return doc, err
	}
	doc.table, doc.short = table, journal.ShortIDs(table.Sessions())
	for _, r := range table.Rows() {
		if r.Newest().At < span.From.UnixNano() || r.Began >= span.To.UnixNano() || !ofProject(a, table, r.Project, project) || confined != "" && r.Project != confined {
			continue
		}
		one, ok, err := day.Of(ctx, log, projections.Target{Project: r.Project, Session: r.ID}, span.From, span.To)
		if err != nil {
			return doc, cli.Damaged(err)
		}
		if ok {
			doc.Sessions = append(doc.Sessions, one)
		}
	}
	if len(doc.Sessions) == 0 && project != "" {
		return doc, knownProject(a, table, project)
	}
	slices.SortStableFunc(doc.Sessions, func(a, b day.Session) int { return b.To.Time().Compare(a.To.Time()) })
	return doc, nil
}

// write writes the day as a page.
func (d dayDoc) write(w io.Writer) error {
	names := page.DayNames{Project: func(s day.Session) string { return d.table.Name(s.Project) }, Short: func(session string) string { return d.short[session] }}
	return page.WriteDay(w, page.DayOf(d.heading(), d.Sessions, names, time.Local, page.In("en")))
}
