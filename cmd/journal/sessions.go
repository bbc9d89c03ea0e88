package main

import (
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"journal/journal"
	"journal/projections"
	"journal/replay"
)

// staleAfter is the age from which a session counts as stale (S3.8).
const staleAfter = 72 * time.Hour

type sessionDoc struct {
	Session     string `json:"session"`
	Project     string `json:"project"`
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
	// Link is the session that this one goes on from, and how that is known.
	Link *projections.Link `json:"link"`
}

var _ = verb(func(a *app) *cobra.Command {
	var all bool
	c := &cobra.Command{
		Use:   "sessions",
		Short: "the sessions, newest first",
		Long: `Lists the sessions of the log, newest first: the newest 20, or all with --all. A session
is current when it is the agent's own of this shell, stale when nothing happened in it for
three days, else fresh.

Exit codes: 0; 1 failure.`,
		Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			docs := []sessionDoc{}
			err := a.read(c.Context(), func(log *journal.Log) error {
				refs, err := sessionsOf(c.Context(), log)
				if err != nil {
					return err
				}
				for i := range refs {
					if refs[i].last, err = lastOf(c.Context(), log, refs[i]); err != nil {
						return err
					}
				}
				newestFirst(refs)
				if !all && len(refs) > 20 {
					refs = refs[:20]
				}
				current := a.sessionGiven("")
				links := projections.NewFold(projections.Target{}, projections.Config{}, projections.Sessions)
				if err := replay.Forward(c.Context(), log, links, 0); err != nil {
					return err
				}
				for _, r := range refs {
					target := projections.Target{Project: r.project, Session: r.session}
					f := projections.NewFold(target, projections.Config{}, projections.SessionInfo, projections.LastCompact)
					if err := replay.Forward(c.Context(), log, f, 0); err != nil {
						return err
					}
					s := projections.SessionInfo.In(f)
					d := sessionDoc{
						Session: r.session, Project: r.project, Root: s.Root, Agent: r.last.Agent, Source: s.Source,
						LastAt: r.last.Time().Format(time.RFC3339), LastSeq: r.last.Seq, Events: r.events,
						Prompts: s.Prompts, Compactions: projections.LastCompact.In(f).Count, Ended: s.Ended,
						Freshness: freshness(r.session == current, r.last.Time(), time.Now()),
					}
					if ref, ok := projections.Sessions.In(links).Of(r.project, r.session); ok {
						d.Link = ref.Link
					}
					if s.StartedAt != 0 {
						d.StartedAt = s.StartedAt.Time().Format(time.RFC3339)
					}
					docs = append(docs, d)
				}
				return nil
			})
			if err != nil {
				return err
			}
			if a.asJSON {
				return a.printJSON(docs)
			}
			w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "SESSION\tPROJECT\tLAST\tEVENTS\tPROMPTS\tCOMPACTIONS\tSTATE")
			for _, d := range docs {
				last, _ := time.Parse(time.RFC3339, d.LastAt)
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
				fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%d\t%d\t%s\n", d.Session, d.Project, last.Local().Format(time.DateTime), d.Events, d.Prompts, d.Compactions, state)
			}
			return w.Flush()
		},
	}
	a.jsonFlag(c)
	c.Flags().BoolVar(&all, "all", false, "every session")
	return c
})

// freshness says how much a session's state still counts. Ages are a matter of
// the view; no state holds them (DECISIONS 1.17).
func freshness(current bool, last, now time.Time) string {
	switch {
	case now.Sub(last) > staleAfter:
		return "stale"
	case current:
		return "current"
	}
	return "fresh"
}
