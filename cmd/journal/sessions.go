package main

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"

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

	ghost bool
}

var _ = verb(func(a *app) *cobra.Command {
	var all bool
	c := &cobra.Command{
		Use:   "sessions",
		Short: "the sessions, newest first",
		Long: `Lists the sessions of the log, newest first: the newest 20, or all with --all. A session
is current when it is the agent's own of this shell, stale when nothing happened in it for
three days, else fresh. One that has not ended, and in which nothing happened for a day, is
marked as a zombie. Of clients up to 2.0 a resumption names a session that never is; those are
listed with --all only.

Exit codes: 0; 1 failure.`,
		Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			var docs []sessionDoc
			err := a.read(c.Context(), func(log *journal.Log) (err error) {
				docs, err = a.sessions(c.Context(), log, all)
				return err
			})
			if err != nil {
				return err
			}
			return a.print(docs, func() { a.printSessions(docs) })
		},
	}
	a.jsonFlag(c)
	c.Flags().BoolVar(&all, "all", false, "every session")
	return offer(c, "since", "json")
})

// shownSessions is how many sessions are listed without --all.
const shownSessions = 20

// sessions lists the sessions of the log, newest first.
func (a *app) sessions(ctx context.Context, log *journal.Log, all bool) ([]sessionDoc, error) {
	docs := []sessionDoc{}
	found, err := log.Sessions(ctx)
	if err != nil {
		return docs, err
	}
	project, err := a.within(ctx, log)
	if err != nil {
		return docs, err
	}
	for _, s := range found {
		if project != "" && s.Project != project {
			continue
		}
		last, err := log.LastOf(ctx, s)
		if err != nil {
			return docs, err
		}
		docs = append(docs, sessionDoc{
			Session: s.ID, Project: s.Project, Events: s.Events, Agent: last.Agent,
			LastAt: last.Time().Format(time.RFC3339), LastSeq: last.Seq,
			Freshness: freshness(s.ID == a.sessionGiven(""), last.Time(), time.Now()),
		})
	}
	slices.SortStableFunc(docs, func(x, y sessionDoc) int { return cmp.Compare(y.LastSeq, x.LastSeq) })
	if !all && len(docs) > shownSessions {
		docs = docs[:shownSessions]
	}
	repositories, err := repositories(ctx, log)
	if err != nil {
		return docs, err
	}
	links := projections.NewFold(projections.Target{}, projections.Config{}, projections.Sessions)
	if err := replay.Forward(ctx, log, links, 0); err != nil {
		return docs, err
	}
	for i := range docs {
		docs[i].Repository = repositories[docs[i].Project]
		if err := docs[i].fill(ctx, log, projections.Sessions.In(links)); err != nil {
			return docs, err
		}
	}
	if !all {
		docs = slices.DeleteFunc(docs, func(d sessionDoc) bool { return d.ghost })
	}
	return docs, nil
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

// fill adds what the events of a session say.
func (d *sessionDoc) fill(ctx context.Context, log *journal.Log, links projections.SessionsState) error {
	target := projections.Target{Project: d.Project, Session: d.Session}
	f := projections.NewFold(target, projections.Config{}, projections.SessionInfo, projections.LastCompact)
	if err := replay.Forward(ctx, log, f, 0); err != nil {
		return err
	}
	s := projections.SessionInfo.In(f)
	d.ghost = s.Ghost()
	d.Root, d.Source, d.Prompts, d.Ended = s.Root, s.Source, s.Prompts, s.Ended
	d.Compactions = projections.LastCompact.In(f).Count
	last, _ := time.Parse(time.RFC3339, d.LastAt)
	d.Zombie = zombie(s.Ended, last, time.Now())
	if s.StartedAt != 0 {
		d.StartedAt = s.StartedAt.Time().Format(time.RFC3339)
	}
	if ref, ok := links.Of(d.Project, d.Session); ok {
		d.Link = ref.Link
	}
	return nil
}

func (a *app) printSessions(docs []sessionDoc) {
	a.table(func(row func(...any)) {
		row("SESSION", "PROJECT", "LAST", "EVENTS", "PROMPTS", "COMPACTIONS", "STATE")
		for _, d := range docs {
			last, _ := time.Parse(time.RFC3339, d.LastAt)
			row(d.Session, d.project(), last.Local().Format(time.DateTime), d.Events, d.Prompts, d.Compactions, d.state())
		}
	})
}

// project names the project, a worktree by its repository first.
func (d sessionDoc) project() string {
	if d.Repository == "" {
		return d.Project
	}
	return d.Repository + "/" + d.Project
}

// state says in words how a session stands.
func (d sessionDoc) state() string {
	state := d.Freshness
	if d.Link != nil {
		state += ", " + d.Link.How
		if d.Link.Session != "" {
			state += " of " + d.Link.Session
		}
	}
	if d.Ended {
		state += ", ended"
	}
	if d.Zombie {
		state += ", zombie"
	}
	return state
}

// zombie says whether a session seems to have been left: the view ends it, no state does.
func zombie(ended bool, last, now time.Time) bool { return !ended && now.Sub(last) > idleAfter }

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
