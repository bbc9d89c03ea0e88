package look

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/events"
	"journal/journal"
	"journal/projections"
	"journal/replay"
)

// staleAfter is the age from which a session counts as stale (S3.8).
const staleAfter = 72 * time.Hour

type sessionDoc struct {
	Session     string `json:"session"`
	Project     string `json:"project"`
	Repository  string `json:"repository,omitempty"` // whose worktree the root is
	Root        string `json:"root"`
	Agent       string `json:"agent"`
	Source      string `json:"source"`
	StartedAt   string `json:"started_at"`
	LastAt      string `json:"last_at"`
	LastSeq     uint64 `json:"last_seq"`
	Events      uint64 `json:"events"` // stored, echoes with them
	Prompts     int    `json:"prompts"`
	Compactions int    `json:"compactions"`
	Ended       bool   `json:"ended"`
	Freshness   string `json:"freshness"` // current, fresh, stale
	// Zombie says that it has not ended and nothing happened in it for a day (S0.10).
	Zombie bool `json:"zombie"`
	// Link is the session that this one goes on from, and how that is known.
	Link *projections.Link `json:"link"`
	// Title is what was asked first, empty when no person asked anything.
	Title string `json:"title"`

	short string // id
	ghost bool
}

// sessionsFlags are the choices of journal sessions.
type sessionsFlags struct {
	all     bool
	project string
	since   cli.Moment
}

var _ = cli.Verb(func(a *cli.App) *cobra.Command {
	var f sessionsFlags
	c := &cobra.Command{
		Use:     "sessions",
		GroupID: cli.Looking,
		Short:   "the sessions and what was asked in them first, newest first",
		Long: `Lists sessions, those first in which something happened last: how long ago that was, their
project, how many events and compactions they hold, and what was asked in them first. Every verb
takes the short id, and * marks the agent's own session of this shell. Behind ^ stands the session
that one goes on from over /clear or as a fork.

It lists 20 of those in which a person asked something; --all lists every one. A wide line also
says which agent it was, and whether a session ended, or is a zombie: it did not end, and nothing
happened in it for a day.

  journal sessions --project . --since 3d

With --json all are listed, with freshness: current as said, stale when nothing happened for three
days, else fresh. Of clients up to 2.0 a resumption names a session that never is; those need --all.

Exit codes: 0; 1 failure; 2 usage.`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			return a.Read(c.Context(), func(log *journal.Log) error { return listSessions(c.Context(), a, log, f) })
		},
	}
	a.JSONFlag(c)
	cli.TeamFlag(a, c)
	c.Flags().BoolVar(&f.all, "all", false, "every session")
	c.Flags().StringVar(&f.project, "project", "", "only of this project (directory, key, or name)")
	c.Flags().Var(&f.since, "since", "only those in which something happened since: 3d, monday (journal help times)")
	return cli.Offer(c, "since", "json")
})

// listSessions prints the sessions that are wanted.
func listSessions(ctx context.Context, a *cli.App, log *journal.Log, f sessionsFlags) error {
	all, err := log.Sessions(ctx)
	if err != nil {
		return err
	}
	active, err := log.Newest(ctx, all)
	if err != nil {
		return err
	}
	context, err := newListing(ctx, log, all)
	if err != nil {
		return err
	}
	project, err := a.Within(ctx, log)
	if err != nil {
		return err
	}
	active = slices.DeleteFunc(active, func(s journal.Activity) bool {
		return project != "" && s.Project != project || !wanted(a, context, s, f)
	})
	docs := []sessionDoc{}
	for _, s := range active {
		if !f.all && !a.AsJSON && len(docs) == cli.ShownSessions {
			break
		}
		if !f.all && !a.AsJSON && !s.Asked {
			continue
		}
		d, err := docOfSession(ctx, a, log, context, s)
		switch {
		case err != nil:
			return err
		case f.all, a.AsJSON && !d.ghost, !a.AsJSON && d.Prompts > 0:
			docs = append(docs, d)
		}
	}
	return a.Print(docs, func() { printSessions(a, docs, len(active)-len(docs)) })
}

// listing is what the lines of a list of sessions have in common.
type listing struct {
	ids          map[string]string // short ones
	repositories map[string]string
	links        projections.SessionsState
}

func newListing(ctx context.Context, log *journal.Log, all []journal.Session) (listing, error) {
	repositories, err := repositories(ctx, log)
	if err != nil {
		return listing{}, err
	}
	links := projections.NewFold(projections.Target{}, projections.Config{}, projections.Sessions)
	if err := replay.Forward(ctx, log, links, 0); err != nil {
		return listing{}, cli.Damaged(err)
	}
	return listing{journal.ShortIDs(all), repositories, projections.Sessions.In(links)}, nil
}

// wanted says whether a session is one that the flags ask for.
func wanted(a *cli.App, l listing, s journal.Activity, f sessionsFlags) bool {
	return ofProject(a, s.Project, f.project, l.repositories) && (f.since.IsZero() || !s.Newest.Time().Before(f.since.From))
}

// ofProject says whether a project is the one that a flag names: by a directory, the key, or
// the name of it or of its repository. An empty flag names all.
func ofProject(a *cli.App, project, flag string, repositories map[string]string) bool {
	return flag == "" || project == a.ProjectKey(flag) || nameOf(project) == flag || repositories[project] == flag
}

// nameOf gives the name of a project without the digest that its key ends with.
func nameOf(project string) string {
	if i := strings.LastIndexByte(project, '-'); i > 0 {
		return project[:i]
	}
	return project
}

// docOfSession says of one session what its events say.
func docOfSession(ctx context.Context, a *cli.App, log *journal.Log, l listing, active journal.Activity) (sessionDoc, error) {
	now, last := time.Now(), active.Newest.Time()
	d := sessionDoc{
		Session: active.ID, Project: active.Project, Repository: l.repositories[active.Project], Events: active.Events,
		LastAt: last.Format(time.RFC3339), LastSeq: active.Last,
		Freshness: freshness(active.ID == a.SessionGiven(""), last, now),
		Title:     cli.Title(ctx, a, log, active.Project, active.ID), short: l.ids[active.ID],
	}
	target := projections.Target{Project: d.Project, Session: d.Session}
	f := projections.NewFold(target, projections.Config{}, projections.SessionInfo, projections.LastCompact)
	if err := replay.Forward(ctx, log, f, 0); err != nil {
		return d, cli.Damaged(err)
	}
	s := projections.SessionInfo.In(f)
	d.ghost = s.Ghost()
	d.Agent, d.Root, d.Source, d.Prompts, d.Ended = s.Agent, s.Root, s.Source, s.Prompts, s.Ended
	d.Compactions = projections.LastCompact.In(f).Count
	d.Zombie = zombie(s.Ended, last, now)
	if s.StartedAt != 0 {
		d.StartedAt = s.StartedAt.Time().Format(time.RFC3339)
	}
	if ref, ok := l.links.Of(d.Project, d.Session); ok {
		d.Link = ref.Link
	}
	return d, nil
}

// repositories gives the name of the repository of every project that is a worktree.
func repositories(ctx context.Context, log *journal.Log) (map[string]string, error) {
	found := map[string]string{}
	for e, err := range log.Events(ctx, events.Span{}, events.Selector{Session: events.None, Type: events.TypeOf[events.ProjectSeen]()}) {
		if err != nil {
			return nil, err
		}
		ev, err := events.Open(e)
		if seen, ok := ev.(events.ProjectSeen); err == nil && ok && seen.Repository != "" {
			found[e.Project] = seen.Repository
		}
	}
	return found, nil
}

// zombie says whether a session seems to have been left: the view ends it, no state does.
func zombie(ended bool, last, now time.Time) bool { return !ended && now.Sub(last) > cli.IdleAfter }

// freshness says how much a session's state still counts. Ages are a matter of
// the view; no state holds them.
func freshness(current bool, last, now time.Time) string {
	switch {
	case now.Sub(last) > staleAfter:
		return "stale"
	case current:
		return "current"
	}
	return "fresh"
}

// agentOf names the agent of a session, empty where nothing tells it: what a person or an
// agent records by a verb does not.
func agentOf(ctx context.Context, log *journal.Log, t projections.Target) (string, error) {
	f := projections.NewFold(projections.Target{Project: t.Project, Session: t.Session}, projections.Config{}, projections.SessionInfo)
	if err := replay.Forward(ctx, log, f, 0); err != nil {
		return "", cli.Damaged(err)
	}
	return projections.SessionInfo.In(f).Agent, nil
}
