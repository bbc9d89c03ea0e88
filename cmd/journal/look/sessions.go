package look

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/embedded/catalogue"
	"journal/events/text"
	"journal/journal"
	"journal/projections"
	"journal/replay"
)

// staleAfter is the time without an event after which a session is stale (S3.8).
const staleAfter = 72 * time.Hour

// sessionDoc is the JSON document of a session in a list.
type sessionDoc struct {
	Session     string `json:"session"`
	Project     string `json:"project"`
	Repository  string `json:"repository,omitempty"` // name of the repository, if the project is a worktree of it
	Root        string `json:"root"`
	Agent       string `json:"agent"`
	Source      string `json:"source"`
	StartedAt   string `json:"started_at"`
	LastAt      string `json:"last_at"`
	LastSeq     uint64 `json:"last_seq"`
	Events      uint64 `json:"events"` // including echoes
	Prompts     int    `json:"prompts"`
	Compactions int    `json:"compactions"`
	Ended       bool   `json:"ended"`
	Headless    bool   `json:"headless"`  // a program started it, not a person
	Freshness   string `json:"freshness"` // current, fresh or stale
	// Zombie is set if the session has not ended, and nothing happened in it for a day (S0.10).
	Zombie bool `json:"zombie"`
	// Link names the session that this one continues, and the evidence; null if it continues none.
	Link *projections.Link `json:"link"`
	// Title is the first request, empty if no person asked anything.
	Title string `json:"title"`

	short string // short id
	name  string // of the project
	ghost bool   // no session: a client that resumed another one reported this id
	last  int64  // LastAt in ns since 1970
}

// sessionsFlags are the flags of journal sessions.
type sessionsFlags struct {
	all     bool
	shown   int // maximum number of sessions for people
	project string
	since   cli.Moment
}

// wants reports whether a session is listed: with --json every real one, for people those with a request; with --all every one.
func (f sessionsFlags) wants(a *cli.App, d sessionDoc) bool {
	return f.all || a.AsJSON && !d.ghost || !a.AsJSON && d.Prompts > 0
}

var _ = cli.Verb(cli.Daily, func(a *cli.App) *cobra.Command {
	var f sessionsFlags
	c := cli.NewCommand("sessions", "the sessions by their first request, newest first",
		`Lists the newest sessions in which a person asked something, the last active first: the time since
then, the project, the numbers of events and compactions, and the first request. --all lists every
session. Every verb takes the short id. * marks the agent's own session of this shell; (after ID) names
the session that one continues after /clear or as a fork.

A wide terminal also shows the agent, and whether the session is open, ended, left (it did not end, and
nothing happened in it for a day), or headless: a program started it, not a person.

  journal sessions --project . --since 3d

--json lists all, with freshness: stale if nothing happened for three days, else current for the session
marked *, else fresh. Some older clients report a resumed session under an id that never becomes a
session; only --all lists those.`,
		func(c *cobra.Command, _ []string) error {
			list := func(log *journal.Log) error { return listSessions(c.Context(), a, log, f) }
			if a.Colleague == "" {
				return a.Read(c.Context(), list)
			}
			return a.Team().Read(c.Context(), a, list, func(all []catalogue.Listing) (bool, error) { return f.listShared(a, all) })
		})
	c.Flags().BoolVar(&f.all, "all", false, "every session")
	cli.CountFlag(c, &f.shown, "lines", "n", cli.ShownSessions, 1, cli.MaxCount, "maximum number, without --all and --json")
	c.Flags().StringVar(&f.project, "project", "", "only of this project (directory, key, or name)")
	c.Flags().Var(&f.since, "since", "only sessions active since: 3d, monday (journal help times)")
	return cli.AllowAgents(cli.TeamFlag(a, a.JSONFlag(c)), "since", "json")
})

// listSessions prints the sessions that the flags select.
func listSessions(ctx context.Context, a *cli.App, log *journal.Log, f sessionsFlags) error {
	table, rows, _, err := selectRows(ctx, a, log, f.project, f.since.From)
	if err != nil {
		return err
	}
	ids := journal.ShortIDs(table.Sessions())
	if len(table.Sessions()) == 0 && !a.AsJSON {
		a.Note("no session yet: journal install, then a session of your agent; journal import reads earlier ones")
	}
	if len(rows) == 0 {
		if err := a.CheckProject(ctx, log, f.project); err != nil {
			return err
		}
	}
	docs := []sessionDoc{}
	for _, r := range rows {
		if !f.all && !a.AsJSON && len(docs) == f.shown {
			break
		}
		if !f.all && !a.AsJSON && !r.Asked { // wants would leave it out: it need not be read
			continue
		}
		if err := readError(ctx, log, r); err != nil {
			return err
		}
		project := catalogue.Listing{Project: r.Project, Repository: table.Project(r.Project).Repository, Name: table.Name(r.Project)}
		d := docOf(a, project, table.Listed(r), ids[r.ID])
		d.Headless = r.Info.Headless
		if f.wants(a, d) {
			docs = append(docs, d)
		}
	}
	return a.Print(docs, func() { printSessions(a, docs, len(rows)-len(docs)) })
}

// readError returns the error of a session that cannot be read; nil for any other.
func readError(ctx context.Context, log *journal.Log, r *catalogue.Row) error {
	if !r.Bad {
		return nil
	}
	f := projections.NewFold(projections.Target{Project: r.Project, Session: r.ID}, projections.Config{}, projections.SessionInfo, projections.LastCompact)
	return cli.Damaged(replay.Forward(ctx, log, f, 0))
}

// selectRows returns the table of all sessions, and the rows of the sessions of a project, the last active first: those with an
// event since a time, and the earlier ones. project is the value of --project; if it is empty, every project is selected. A
// confined agent gets only rows of its own project.
func selectRows(ctx context.Context, a *cli.App, log *journal.Log, project string, since time.Time) (table *catalogue.Table, rows, earlier []*catalogue.Row, err error) {
	if table, err = cli.Catalogue(ctx, a, log); err != nil {
		return nil, nil, nil, err
	}
	confined, err := a.ReadableProject(ctx, log)
	if err != nil {
		return nil, nil, nil, err
	}
	for _, r := range table.Rows() {
		switch {
		case confined != "" && r.Project != confined || !cli.NamesProject(a, table, r.Project, project):
		case time.Unix(0, r.Newest().At).Before(since):
			earlier = append(earlier, r)
		default:
			rows = append(rows, r)
		}
	}
	return table, rows, earlier, nil
}

// lastDay returns the day of the newest event of rows that are sorted, the last active first; empty without rows.
func lastDay(rows []*catalogue.Row) string {
	if len(rows) == 0 {
		return ""
	}
	return time.Unix(0, rows[0].Newest().At).Local().Format(time.DateOnly)
}

// docOf returns the document of a session in a project, without Headless. short is its short id.
func docOf(a *cli.App, project catalogue.Listing, s catalogue.Listed, short string) sessionDoc {
	now, last := time.Now(), time.Unix(0, s.Last).UTC()
	d := sessionDoc{
		Session: s.ID, Project: project.Project, Repository: project.Repository, name: project.Name, short: short, last: s.Last, Root: s.Root, Agent: s.Agent, Source: s.Source, LastAt: last.Format(time.RFC3339), LastSeq: s.Seq,
		Events: s.Events, Prompts: s.Prompts, Compactions: s.Compactions, Ended: projections.ShownEnded(s.Ended, s.Imported, now.Sub(last)),
		Freshness: freshness(s.ID == a.SessionGiven(""), last, now), Title: cli.OneLine(s.Title), ghost: s.Ghost,
	}
	d.Zombie = !d.Ended && now.Sub(last) > projections.IdleAfter
	if s.How != "" {
		d.Link = &projections.Link{Session: s.From, How: s.How}
	}
	if s.Began != 0 {
		d.StartedAt = projections.Stamp(s.Began).Time().Format(time.RFC3339)
	}
	return d
}

// enough reports whether the lists of a device have every session that the flags select, or as many as are shown to people.
func (f sessionsFlags) enough(a *cli.App, all []catalogue.Listing) bool {
	needsAll := f.all || a.AsJSON || f.project != "" || !f.since.IsZero()
	return !slices.ContainsFunc(all, func(listing catalogue.Listing) bool {
		return listing.More > 0 && (needsAll || len(listing.Sessions) < f.shown)
	})
}

// listShared prints the sessions in the lists that a colleague's device uploaded. If the lists are not enough, it prints
// nothing.
func (f sessionsFlags) listShared(a *cli.App, all []catalogue.Listing) (enough bool, err error) {
	if !f.enough(a, all) {
		return false, nil
	}
	var sessions []journal.Session
	for _, project := range all {
		for _, s := range project.Sessions {
			sessions = append(sessions, journal.Session{Project: project.Project, ID: s.ID})
		}
	}
	docs, total, ids := []sessionDoc{}, 0, journal.ShortIDs(sessions)
	for _, project := range all {
		total += project.More
		for _, s := range project.Sessions {
			if cli.NamesKey(a, project.Project, project.Name, project.Repository, f.project) && !time.Unix(0, s.Last).Before(f.since.From) {
				docs = append(docs, docOf(a, project, s, ids[s.ID]))
			}
		}
	}
	total += len(docs)
	docs = slices.DeleteFunc(docs, func(d sessionDoc) bool { return !f.wants(a, d) })
	slices.SortStableFunc(docs, func(x, y sessionDoc) int { return cmp.Compare(y.last, x.last) })
	if !f.all && !a.AsJSON {
		docs = docs[:min(len(docs), f.shown)]
	}
	return true, a.Print(docs, func() { printSessions(a, docs, total-len(docs)) })
}

// freshness returns the freshness of a session whose last event was at last; current is set for the agent's own session.
func freshness(current bool, last, now time.Time) string {
	switch {
	case now.Sub(last) > staleAfter:
		return "stale"
	case current:
		return "current"
	}
	return "fresh"
}

const (
	wideColumns    = 110 // smallest width of a terminal on which agent and state are shown
	projectColumns = 14  // bound of a project's name on a narrow terminal; twice as much on a wide one
	listedTitle    = 80  // bound of a title where the width is not known
)

// printSessions prints sessions for people. left is the number of sessions that are not printed.
func printSessions(a *cli.App, docs []sessionDoc, left int) {
	wide := a.Width() == 0 || a.Width() >= wideColumns
	project, title := 0, listedTitle // 0 is no bound
	if a.Width() > 0 {
		project, title = projectColumns, a.Width()
	}
	if wide {
		project *= 2
	}
	a.Table(func(row func(...any)) {
		show := func(id, agent, age, project, events, compactions, state, request any) {
			if wide {
				row(id, agent, age, project, events, compactions, state, request)
			} else {
				row(id, age, project, events, compactions, request)
			}
		}
		if len(docs) > 0 {
			show("SESSION", "AGENT", "AGE", "PROJECT", "EVENTS", "COMP.", "STATE", "FIRST REQUEST")
		}
		for _, d := range docs {
			id := d.short
			if d.Freshness == "current" { // the agent's own session
				id += "*"
			}
			age := cli.Age(time.Since(time.Unix(0, d.last)))
			show(id, d.Agent, age, text.CutColumns(d.name, project), int(d.Events), d.Compactions, d.state(), text.CutColumns(d.from()+d.Title, title))
		}
	})
	switch {
	case left > 0:
		fmt.Fprintf(a.Out, "%d more: --all\n", left)
	case len(docs) == 0:
		fmt.Fprintln(a.Err, "no sessions")
	}
}

// from names the session that this one continues; empty if it continues none.
func (d sessionDoc) from() string {
	if d.Link == nil {
		return ""
	}
	return "(after " + cmp.Or(journal.ShortID(d.Link.Session), d.Link.How) + ") "
}

// state returns a word for the state of a session.
func (d sessionDoc) state() string {
	switch {
	case d.Headless:
		return "headless"
	case d.Ended:
		return "ended"
	case d.Zombie:
		return "left"
	}
	return "open"
}
