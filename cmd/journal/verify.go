package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"journal/embedded/store/rebuild"
)

var _ = verb(func(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:     "verify",
		GroupID: caring,
		Short:   "read everything and name what is damaged",
		Long: `Reads the log, its archive and the spool from end to end, compares the copies, and names
every sequence that is damaged. It changes nothing, and an owner may be at work meanwhile.

Events that no copy has any more are named too, until journal repair --acknowledge says that
they were seen.

Exit codes: 0 everything is as it was written, 1 failure, 3 damage found, or events are lost.`,
		Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := a.isThere(); err != nil {
				return err
			}
			show, end := a.progress("reading")
			i, err := rebuild.Inspect(c.Context(), a.dir, show)
			end()
			if err != nil {
				return obstacle(err)
			}
			if err := a.print(i, func() { printInspection(a, i) }); err != nil {
				return err
			}
			switch lost := rebuild.Unseen(i.Losses); {
			case len(i.Bad) > 0:
				fmt.Fprintf(a.err, "error: %s\ntry: journal repair\n", counted(len(i.Bad), "damaged place"))
			case lost > 0:
				fmt.Fprintf(a.err, "error: %s for good\ntry: %s\n", counted(lost, "event")+areLost(lost), acknowledging)
			default:
				return nil
			}
			return exitWith(exitDamage)
		},
	}
	a.jsonFlag(c)
	return c
})

func printInspection(a *app, i rebuild.Inspection) {
	fmt.Fprintf(a.out, "log      %s, up to #%d\n", counted(i.Events, "event"), i.Last)
	fmt.Fprintf(a.out, "archive  %s, up to #%d, %s, %s\n", counted(i.Archive.Events, "event"), i.Archive.Last, counted(i.Archive.Segments, "segment"), size(uint64(i.Archive.Bytes)))
	fmt.Fprintf(a.out, "spool    waiting: %s, set aside: %d\n", counted(i.Spool.Files, "file"), i.Spool.Aside)
	if i.Spool.Newer > 0 {
		fmt.Fprintf(a.out, "newer    %s of a later program\n", counted(i.Spool.Newer, "spool file"))
	}
	if i.Unknown != "" {
		fmt.Fprintf(a.out, "unknown  the store has a format that this program does not know: %s\n", i.Unknown)
	}
	for _, b := range i.Bad {
		fmt.Fprintf(a.out, "bad      %s\n", b)
	}
	printLosses(a, i.Losses)
}
