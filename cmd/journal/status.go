package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"journal/embedded/service"
)

var _ = verb(func(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "status",
		Short: "the owner, the log and what is wrong with them",
		Long: `Shows who owns the log, what it holds, what waits in the spool, and every problem.
Starts nothing.

Exit codes: 0 healthy, 1 a problem.`,
		Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			doc := service.Look(c.Context(), a.dir)
			if err := a.print(doc, func() { a.printStatus(doc) }); err != nil {
				return err
			}
			if !doc.Healthy {
				return exitWith(exitError)
			}
			return nil
		},
	}
	a.jsonFlag(c)
	return c
})

func (a *app) printStatus(d service.Status) {
	if d.Owner == nil {
		fmt.Fprintf(a.out, "owner    none is running; the next hook starts one\n")
	} else {
		since, _ := time.Parse(time.RFC3339, d.Owner.Since)
		fmt.Fprintf(a.out, "owner    pid %d, version %s, since %s\n", d.Owner.PID, d.Owner.Version, since.Local().Format(time.DateTime))
		if d.Owner.Outdated {
			fmt.Fprintf(a.out, "         older than this program, %s: it makes way when a session starts\n", version())
		}
	}
	fmt.Fprintf(a.out, "store    %s\n", d.Store)
	fmt.Fprintf(a.out, "events   %d, up to #%d, %s\n", d.Events, d.LastSeq, size(d.Bytes))
	fmt.Fprintf(a.out, "spooled  %d\n", d.Spooled)
	if d.Owner != nil {
		fmt.Fprintf(a.out, "archived up to #%d, %d behind\n", d.Archived, d.LastSeq-min(d.LastSeq, d.Archived))
	}
	for _, p := range d.Paused {
		if p == "*" {
			p = "everywhere"
		}
		fmt.Fprintf(a.out, "paused   %s; journal resume lets the recording go on\n", p)
	}
	for _, p := range d.Problems {
		fmt.Fprintf(a.out, "problem  %s\n", p)
	}
}
