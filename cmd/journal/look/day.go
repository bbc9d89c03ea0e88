package look

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/cmd/journal/cli/usage"
	"journal/cmd/journal/page"
	"journal/embedded/catalogue"
	"journal/events/text"
	"journal/journal"
	"journal/projections"
	"journal/replay/day"
)

// dayDoc lists the work between two times: the newest session first, headless ones last.
type dayDoc struct {
	From     string        `json:"from"`
	To       string        `json:"to"`
	Sessions []day.Session `json:"sessions"`

	span          cli.TimeSpan
	lastDayBefore string // the last day with sessions before the span; empty if there is none
	table         *catalogue.Table
	short         map[string]string // short ids of sessions
	usage         *usage.Report
}

var _ = cli.Verb(cli.Daily, func(a *cli.App) *cobra.Command {
	var project, html string
	c := cli.NewCommand("day [today|yesterday|monday|2026-11-20|3d]", "what was asked, done and left open on a day",
		`Shows what happened on a day, by default today. First comes the unfinished work, then for each project
and session what was asked, written, decided and refused, what failed and whether it was fixed, and what
is open, with the number of compactions and of the items that recovery texts offered (journal audit shows
what was restored). Headless sessions, which a program started, come last.

  journal day
  journal day yesterday --project .
  journal day monday --json
  journal day --html day.html

A time that is not a whole day, such as 3d or 14:00, means from then until now. The working time of a session
leaves out pauses of more than 15 minutes. Tokens are those of all requests, as journal cost counts them. An
imported session counts on the day on which it happened.`,
		func(c *cobra.Command, args []string) error {
			if html != "" && a.AsJSON {
				return cli.Usage(errors.New("--html and --json exclude each other"))
			}
			now := time.Now()
			name := "today"
			if len(args) > 0 {
				name = args[0]
			}
			span, err := cli.ParseTime(name, now)
			if err != nil {
				return cli.Usage(err)
			}
			switch instant := span.To.Equal(span.From); {
			case instant && span.From.After(now):
				return cli.Usage(fmt.Errorf("%s is in the future", span.From.Format(time.DateTime)))
			case instant:
				span.To = now
			}
			return a.Read(c.Context(), func(log *journal.Log) error {
				doc, err := dayOf(c.Context(), a, log, span, project)
				if err != nil {
					return err
				}
				if html != "" {
					return cli.WritePage(a, html, text.Counted(len(doc.Sessions), "session"), doc.write)
				}
				return a.Print(doc, func() { printDay(a, doc) })
			})
		})
	c.ValidArgs = []string{"today", "yesterday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}
	c.Flags().StringVar(&html, "html", "", "write one self-contained page to this file, - is stdout")
	c.Flags().StringVar(&project, "project", "", "only this project (directory, key, or name)")
	return cli.AllowAgents(a.JSONFlag(c), "json")
})

// dayOf reads the sessions in which something happened between two times.
func dayOf(ctx context.Context, a *cli.App, log *journal.Log, span cli.TimeSpan, project string) (dayDoc, error) {
	doc := dayDoc{From: span.From.UTC().Format(time.RFC3339), To: span.To.UTC().Format(time.RFC3339), Sessions: []day.Session{}, span: span}
	table, rows, earlier, err := selectRows(ctx, a, log, project, span.From)
	if err != nil {
		return doc, err
	}
	doc.table, doc.short, doc.lastDayBefore = table, journal.ShortIDs(table.Sessions()), lastDay(earlier)
	rows = slices.DeleteFunc(rows, func(r *catalogue.Row) bool { return r.Began >= span.To.UnixNano() })
	if doc.usage, err = usage.Of(ctx, log, rows, span.From, span.To); err != nil {
		return doc, fmt.Errorf("read the usage of sessions: %w", err)
	}
	for _, r := range rows {
		session, ok, err := day.Of(ctx, log, projections.Target{Project: r.Project, Session: r.ID}, span.From, span.To)
		if err != nil {
			return doc, cli.Damaged(err)
		}
		if ok {
			session.Root = table.Root(r)
			session.Used = doc.usage.Used(session.Project, session.Session)
			doc.Sessions = append(doc.Sessions, session)
		}
	}
	if len(doc.Sessions) == 0 {
		return doc, a.CheckProject(ctx, log, project)
	}
	day.Sort(doc.Sessions)
	return doc, nil
}

// write writes the day as one HTML page.
func (d dayDoc) write(w io.Writer) error {
	describe := func(shown *page.DaySession, s day.Session) {
		shown.Project, shown.ID = d.table.Name(s.Project), d.short[s.Session]
	}
	return page.WriteDay(w, page.DayOf(d.heading(), d.Sessions, d.usage.Unknown, describe, time.Local, page.Texts("en")))
}

// shownOfDay bounds the lines of each list of a session that are shown to people. Of files twice as many are shown.
const shownOfDay = 5

// printDay prints a day for people.
func printDay(a *cli.App, d dayDoc) {
	fmt.Fprintln(a.Out, d.heading())
	if len(d.Sessions) == 0 {
		line := "nothing happened"
		if d.lastDayBefore != "" {
			line += "; the last day before: " + a.Advice("journal day "+d.lastDayBefore)
		}
		fmt.Fprintln(a.Out, line)
		return
	}
	d.printUnfinished(a)
	for _, project := range day.ByProject(d.Sessions) {
		fmt.Fprintln(a.Out)
		name, root := d.table.Name(project[0].Project), project[0].Root
		a.Paint(cli.Cyan, a.Cut(strings.TrimSuffix(name+"  "+root, "  ")))
		for _, s := range project {
			d.printSession(a, s)
		}
	}
	d.printTokens(a)
}

// printTokens prints the tokens that all requests used.
func (d dayDoc) printTokens(a *cli.App) {
	sum := d.usage.Used("", "")
	line := fmt.Sprintf("%s: %s input, %s cached, %s to cache, %s output", text.Counted(sum.Requests, "request"),
		text.Short(sum.Tokens.Input), text.Short(sum.Tokens.CacheRead), text.Short(sum.Tokens.CacheWrite), text.Short(sum.Tokens.Output))
	if n := len(d.usage.Unknown); n > 0 {
		line += "; unknown for " + text.Counted(n, "session")
	}
	fmt.Fprintln(a.Out)
	a.PrintBeside("tokens  ", line)
}

// heading returns the day; the two times if the span is no whole day.
func (d dayDoc) heading() string {
	from, to := d.span.From, d.span.To
	if whole := cli.DayOf(from); from.Equal(whole.From) && to.Equal(whole.To) {
		return from.Format("Monday, 2 January 2006")
	}
	return "from " + from.Format(time.DateTime) + " to " + to.Format(time.DateTime)
}

// printUnfinished prints the sessions with unfinished work.
func (d dayDoc) printUnfinished(a *cli.App) {
	head := "\nunfinished\n"
	for _, s := range d.Sessions {
		if s.Unfinished() {
			left := s.OpenWork(func(n int) string { return text.Counted(n, "open task") })
			fmt.Fprintln(a.Out, head+a.Cut("  "+d.short[s.Session]+"  "+d.table.Name(s.Project)+"  "+left))
			head = ""
		}
	}
}

// printSession prints a line about one session, then its lists.
func (d dayDoc) printSession(a *cli.App, s day.Session) {
	clock := func(t time.Time) string { return t.Local().Format("15:04") }
	head := []string{d.short[s.Session], clock(s.From.Time()) + " to " + clock(s.To.Time()), worked(s.Seconds)}
	if s.Agent != "" {
		head = append(head, s.Agent)
	}
	if s.Compactions > 0 {
		head = append(head, text.Counted(s.Compactions, "compaction"))
	}
	if s.Cleared > 0 {
		head = append(head, text.Counted(s.Cleared, "silent clearing"))
	}
	if s.Headless {
		head = append(head, "headless")
	}
	if s.Offered > 0 {
		head = append(head, text.Counted(s.Offered, "item")+" offered")
	}
	if s.Used.Requests > 0 {
		head = append(head, text.Short(s.Used.Tokens.Sum())+" tokens")
	}
	fmt.Fprintln(a.Out, a.Cut("  "+strings.Join(head, "  ")))
	if len(s.Asked) == 0 && s.Title != "" {
		printFew(a, "asked", []string{"(goes on with) " + s.Title})
	}
	for _, list := range s.Lists(func(n int) string { return text.Counted(n, "failed command") }) {
		if list.Name == "wrote" {
			printWritten(a, list.Lines)
		} else {
			printFew(a, list.Name, list.Lines)
		}
	}
}

// printWritten prints the first 2*shownOfDay written files, on as many lines as they need, and how many more there are.
func printWritten(a *cli.App, paths []string) {
	if len(paths) == 0 {
		return
	}
	shown := strings.Join(paths[:min(len(paths), 2*shownOfDay)], ", ")
	if more := len(paths) - 2*shownOfDay; more > 0 {
		shown += fmt.Sprintf(" and %d more", more)
	}
	a.PrintBeside("    wrote    ", cli.OneLine(shown))
}

// printFew prints a name with the first shownOfDay of its lines, and how many more there are.
func printFew(a *cli.App, name string, all []string) {
	for i, line := range all {
		if i == shownOfDay {
			fmt.Fprintf(a.Out, "             … and %d more\n", len(all)-i)
			return
		}
		fmt.Fprintln(a.Out, a.Cut(fmt.Sprintf("    %-9s%s", name, cli.OneLine(line))))
		name = ""
	}
}

// worked returns a working time as text: "1 h 5 min of work", or "under a minute".
func worked(seconds int64) string {
	switch d := time.Duration(seconds) * time.Second; {
	case d >= time.Hour:
		return fmt.Sprintf("%d h %d min of work", int(d.Hours()), int(d.Minutes())%60)
	case d >= time.Minute:
		return fmt.Sprintf("%d min of work", int(d.Minutes()))
	}
	return "under a minute"
}
