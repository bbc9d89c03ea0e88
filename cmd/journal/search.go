package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"journal/events"
	"journal/journal"
	"journal/replay/search"
)

// searchFlags are the flags of journal search.
type searchFlags struct {
	target targetFlags
	all    bool
	types  []events.Type
	limit  int
}

var _ = verb(func(a *app) *cobra.Command {
	var f searchFlags
	var types []string
	c := &cobra.Command{
		Use:   "search TEXT",
		Short: "find what was said, decided, run and noted",
		Long: `Finds the events whose texts hold every word of TEXT, newest first: prompts, answers, decisions,
working notes, commands with their output and errors, summaries. Upper and lower case, full and
half width are the same; words are found inside of words; "several words" in quotes stand together.
It looks in the project, with --session in a session, with --all everywhere.

  journal search rate limiter
  journal search '"token bucket" burst' --type decision.recorded

journal show N prints a found event whole.

Exit codes: 0; 1 nothing found, or failure; 2 usage; 3 the log is damaged.`,
		Args: args(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, words []string) error {
			q := search.Parse(strings.Join(words, " "))
			if len(q) == 0 {
				return usage(c, errEmptyText)
			}
			if f.limit < 1 {
				return usage(c, errors.New("--limit is at least 1"))
			}
			for _, t := range types {
				f.types = append(f.types, events.Type(t))
			}
			return a.read(c.Context(), func(log *journal.Log) error {
				return a.search(c.Context(), log, q, f)
			})
		},
	}
	f.target.add(c)
	c.Flags().BoolVar(&f.all, "all", false, "in every project")
	c.Flags().StringArrayVar(&types, "type", nil, "only events of this type; may be given again")
	c.Flags().IntVar(&f.limit, "limit", 50, "at most so many, the newest")
	a.jsonLinesFlag(c)
	return offer(c, "type", "limit", "since", "json")
})

func (a *app) search(ctx context.Context, log *journal.Log, q search.Query, f searchFlags) error {
	sel, err := a.searched(ctx, log, f)
	if err != nil {
		return err
	}
	st, err := log.Stats(ctx)
	if err != nil {
		return err
	}
	show, end := a.progress("searched")
	hits, err := search.Newest(ctx, progressLog{log, st, show}, q, f.limit, events.Span{Until: st.Last}, f.types, sel...)
	end()
	if err != nil {
		return damaged(err)
	}
	if len(hits) == 0 {
		if !a.asJSON {
			fmt.Fprintln(a.err, "nothing found")
		}
		return exitWith(exitError)
	}
	if a.asJSON {
		enc := jsonTo(a.out)
		for _, h := range hits {
			if err := enc.Encode(h); err != nil {
				return err
			}
		}
		return nil
	}
	printEach(a, hits, func(h search.Hit) string {
		at, _ := time.Parse(time.RFC3339Nano, h.At)
		return fmt.Sprintf("#%-6d %s  %.8s  %s\n        %s", h.Seq, at.Local().Format("2006-01-02 15:04"), h.Session, h.Type, oneLine(h.Text))
	})
	return nil
}

// searched names the events that a search looks through.
func (a *app) searched(ctx context.Context, log *journal.Log, f searchFlags) ([]events.Selector, error) {
	switch {
	case f.target.session != "":
		t, err := a.target(ctx, log, f.target)
		return []events.Selector{{Project: t.Project, Session: t.Session}}, err
	case f.all:
		return nil, nil
	}
	project, err := a.within(ctx, log)
	return []events.Selector{{Project: cmp.Or(project, a.projectKey(f.target.project))}}, err
}
