package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"journal/embedded/store/rebuild"
	"journal/events"
	"journal/journal"
)

var _ = verb(func(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:     "show SEQ...",
		GroupID: looking,
		Short:   "events whole, by the number that a recovery text names",
		Long: `Prints events whole: with every field, and with what the hook said beyond them. With --json
each is one document, with stable keys.

Exit codes: 0; 1 when there is no such event; 2 usage; 3 no copy has it.`,
		Args: args(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			var seqs []uint64
			for _, s := range args {
				n, err := strconv.ParseUint(strings.TrimPrefix(s, "#"), 10, 64)
				if err != nil || n == 0 {
					return usage(c, fmt.Errorf("%q is no sequence", s))
				}
				seqs = append(seqs, n)
			}
			return a.reading(c.Context(), func(log *journal.Log) error {
				for _, n := range seqs {
					if err := show(c.Context(), a, log, n); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	a.jsonFlag(c)
	teamFlag(a, c)
	return literal(offer(c, "json"))
})

func show(ctx context.Context, a *app, log *journal.Log, seq uint64) error {
	st, err := log.Stats(ctx)
	if err != nil {
		return err
	}
	if seq > st.Last {
		return withHint(fmt.Errorf("there is no event #%d, the log ends at #%d", seq, st.Last), "journal log")
	}
	project, err := a.within(ctx, log)
	if err != nil {
		return err
	}
	for e, err := range log.Events(ctx, events.Span{After: seq - 1, Until: seq}) {
		if err != nil {
			return err
		}
		if project != "" && e.Project != project && !rebuild.IsMark(e.Type) {
			return notForAgents(fmt.Sprintf("read event #%d of another project", seq))
		}
		v, err := events.ViewOf(e)
		if err != nil {
			return err
		}
		if err := a.print(v, func() { printWhole(a, sessionOf(ctx, a, log, e), v) }); err != nil {
			return err
		}
	}
	return nil
}
