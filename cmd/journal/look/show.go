package look

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/embedded/store/rebuild"
	"journal/events"
	"journal/journal"
)

var _ = cli.Verb(cli.Looking, func(a *cli.App) *cobra.Command {
	c := &cobra.Command{
		Use:   "show SEQ...",
		Short: "whole events, by the numbers that a recovery text names",
		Long: `Prints events whole: with every field, and with what the hook said beyond them. With --json
each is one document, with stable keys.

Exit codes: 0; 1 when there is no such event; 2 usage; 3 no copy has it.`,
		RunE: func(c *cobra.Command, args []string) error {
			var seqs []uint64
			for _, s := range args {
				n, err := strconv.ParseUint(strings.TrimPrefix(s, "#"), 10, 64)
				if err != nil || n == 0 {
					return cli.Usage(c, fmt.Errorf("%q is no sequence", s))
				}
				seqs = append(seqs, n)
			}
			return a.Reading(c.Context(), func(log *journal.Log) error {
				for _, n := range seqs {
					if err := show(c.Context(), a, log, n); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	a.JSONFlag(c)
	cli.TeamFlag(a, c)
	return cli.Literal(cli.Offer(c, "json"))
})

func show(ctx context.Context, a *cli.App, log *journal.Log, seq uint64) error {
	st, err := log.Stats(ctx)
	if err != nil {
		return err
	}
	if seq > st.Last {
		return cli.WithHint(fmt.Errorf("there is no event #%d, the log ends at #%d", seq, st.Last), "journal log")
	}
	project, err := a.Within(ctx, log)
	if err != nil {
		return err
	}
	for e, err := range log.Events(ctx, events.Span{After: seq - 1, Until: seq}) {
		if err != nil {
			return err
		}
		if project != "" && e.Project != project && !rebuild.IsMark(e.Type) {
			return cli.NotForAgents(fmt.Sprintf("read event #%d of another project", seq))
		}
		v, err := events.ViewOf(e)
		if err != nil {
			return err
		}
		if err := a.Print(v, func() { printWhole(a, sessionOf(ctx, a, log, e), v) }); err != nil {
			return err
		}
	}
	return nil
}
