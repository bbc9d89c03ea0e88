package look

import (
	"cmp"
	"context"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/events"
	"journal/journal"
	"journal/replay/search"
)

// searchFlags are the flags of journal search.
type searchFlags struct {
	target cli.TargetFlags
	all    bool
	types  []string
	since  cli.Moment
	limit  int

	elsewhere bool
}

var _ = cli.Verb(cli.Daily, func(a *cli.App) *cobra.Command {
	var f searchFlags
	c := &cobra.Command{
		Use:   "search TEXT",
		Short: "find what was said, decided, run and noted",
		Long: `Finds the events whose texts hold every word of TEXT: prompts, answers, decisions, working notes,
commands with their output and errors, summaries. Whole words come before parts of words, and the
newest first. Upper and lower case, full and half width are the same; "several words" in quotes
stand together. It looks in the project, with --session in a session, with --all everywhere, from the
newest back until it has enough; with --elsewhere it also says how much there is in the rest of the log.

  journal search rate limiter --since 7d
  journal search '"token bucket" burst' --type decision.recorded

journal show N prints a found event whole. With --json every line is one hit.

Exit codes: 0; 1 nothing found, or failure; 2 usage; 3 the log is damaged.`,
		RunE: func(c *cobra.Command, words []string) error {
			o := search.Options{Query: search.Parse(strings.Join(words, " ")), Since: f.since.From, Limit: f.limit}
			if len(o.Query) == 0 {
				return cli.Usage(c, cli.ErrEmptyText)
			}
			for _, t := range f.types {
				if !cli.DeclaredType(events.Type(t)) {
					return cli.Usage(c, cli.UnknownType(t))
				}
				o.Types = append(o.Types, events.Type(t))
			}
			return a.Reading(c.Context(), func(log *journal.Log) error {
				return runSearch(c.Context(), a, log, o, f)
			})
		},
	}
	f.target.Add(c)
	c.Flags().BoolVar(&f.all, "all", false, "in every project")
	c.Flags().StringArrayVar(&f.types, "type", nil, "only events of this type; may be given again; journal events lists them")
	c.Flags().Var(&f.since, "since", "only events from then on: 3d, monday (journal help times)")
	c.Flags().BoolVar(&f.elsewhere, "elsewhere", false, "also say how much there is where it did not look; a short log is always looked through")
	cli.CountFlag(c, &f.limit, "limit", "", 50, 1, cli.MaxCount, "at most so many, the best")
	a.JSONLinesFlag(c)
	cli.TeamFlag(a, c)
	return cli.Offer(c, "type", "limit", "since", "json")
})

// shortLog is how many events are looked through in some milliseconds.
const shortLog = 4 << 10

func runSearch(ctx context.Context, a *cli.App, log *journal.Log, o search.Options, f searchFlags) error {
	in, err := searched(ctx, a, log, f)
	if err != nil {
		return err
	}
	st, err := log.Stats(ctx)
	if err != nil {
		return err
	}
	if in.session == "" { // a session is read as quickly
		o.Meshes = sync.OnceValue(func() []search.Mesh { return cli.Words(ctx, a, log) })
	}
	show, end := a.Progress("searched")
	if show != nil {
		o.Looked = func(after uint64) {
			show(int64(float64(st.Bytes)*float64(st.Last-after)/float64(st.Last)), int64(st.Bytes))
		}
	}
	found, err := o.In(ctx, log, events.Span{Until: st.Last}, in.selectors()...)
	end()
	if err != nil {
		return cli.Damaged(err)
	}
	if a.AsJSON {
		err = printHits(a, found.Hits)
	} else {
		showHits(ctx, a, log, in, o.Query, found.Hits)
		var rest elsewhere
		if f.elsewhere || st.Last <= shortLog {
			rest = countElsewhere(ctx, a, log, st, in, o)
		}
		sayWhere(ctx, a, log, in, found, rest)
	}
	if err == nil && len(found.Hits) == 0 {
		err = cli.ExitWith(cli.ExitError)
	}
	return err
}

// where is the part of the log that is searched, all of it when there is nothing in it.
type where struct{ project, session string }

// selectors names its events.
func (w where) selectors() []events.Selector {
	if w == (where{}) {
		return nil
	}
	return []events.Selector{{Project: w.project, Session: w.session}}
}

// searched says where a search looks.
func searched(ctx context.Context, a *cli.App, log *journal.Log, f searchFlags) (where, error) {
	switch {
	case f.target.Session != "":
		t, err := a.Target(ctx, log, f.target)
		return where{t.Project, t.Session}, err
	case f.all:
		return where{}, nil
	}
	project, err := a.Within(ctx, log)
	return where{project: cmp.Or(project, a.ProjectIn(ctx, log, f.target.Project))}, err
}

// printHits prints a line of JSON for each.
func printHits(a *cli.App, hits []search.Hit) error {
	enc := a.JSONLines()
	for _, h := range hits {
		if err := enc.Encode(h); err != nil {
			return err
		}
	}
	return nil
}
