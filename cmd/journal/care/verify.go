package care

import (
	"fmt"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/embedded/copies"
	"journal/embedded/rebuild"
	"journal/events/text"
)

var _ = cli.Verb(cli.Caring, func(a *cli.App) *cobra.Command {
	c := cli.NewCommand("verify", "read everything and name what is damaged",
		`Reads all of the log, its archive and the spool, compares the copies, and names
every damaged event, events that no copy has any more, and the first of those whose
bytes no reader can use. It repairs nothing, and works while an owner runs. status and doctor
show what it found until journal repair has repaired it, or journal repair --acknowledge records
that a person has seen it.

Exit codes: 0 nothing is damaged, and nothing lost that was not acknowledged; 1 failure, or the store
has an unknown format and was not checked; 3 damage found, or events are lost.`,
		func(c *cobra.Command, _ []string) error {
			if err := a.CheckJournal(); err != nil {
				return err
			}
			show, end := a.Progress("reading")
			found, err := rebuild.Inspect(c.Context(), a.Dir, show)
			end()
			if err != nil {
				return err
			}
			if err := found.Remember(a.Dir); err != nil {
				a.Note(err.Error())
			}
			if err := a.Print(found, func() { printInspection(a, found) }); err != nil {
				return err
			}
			switch lost := copies.Unacknowledged(found.Losses); {
			case len(found.Bad) > 0:
				fmt.Fprintf(a.Err, "error: %s\ntry: journal repair\n", text.Counted(len(found.Bad), "damaged place"))
			case found.Unknown != "":
				return rebuild.UnknownFormat(found.Unknown)
			case lost > 0:
				fmt.Fprintf(a.Err, "error: %s for good\ntry: %s\n", text.Counted(lost, "event is", "events are")+" lost", cli.AcknowledgeCommand)
			default:
				return nil
			}
			return cli.ExitWith(cli.ExitDamage)
		})
	return a.JSONFlag(c)
})

// printInspection prints for people what journal verify found.
func printInspection(a *cli.App, i rebuild.Inspection) {
	if i.Unknown != "" {
		fmt.Fprintf(a.Out, "unknown  the store has a format that this program does not know, and was not checked: %s\n", i.Unknown)
	} else {
		fmt.Fprintf(a.Out, "log      %s, up to #%d\n", text.Counted(i.Events, "event"), i.Last)
	}
	fmt.Fprintf(a.Out, "archive  %s, up to #%d, %s, %s\n", text.Counted(i.Archive.Events, "event"), i.Archive.Last, text.Counted(i.Archive.Segments, "segment"), cli.Size(uint64(i.Archive.Bytes)))
	fmt.Fprintf(a.Out, "spool    waiting: %s, set aside: %d\n", text.Counted(i.Spool.Files, "file"), i.Spool.Aside)
	if i.Spool.Newer > 0 {
		fmt.Fprintf(a.Out, "newer    %s of a later program\n", text.Counted(i.Spool.Newer, "spool file"))
	}
	if i.Unread.Events > 0 {
		fmt.Fprintf(a.Out, "unread   %s that readers leave out, the first: %s\n", text.Counted(i.Unread.Events, "event"), i.Unread.First)
	}
	for _, b := range i.Bad {
		fmt.Fprintf(a.Out, "bad      %s\n", b)
	}
	printLosses(a, i.Losses)
	if i.OK {
		lost := "no event"
		if len(i.Losses) > 0 {
			lost = "nothing new"
		}
		fmt.Fprintf(a.Out, "verdict  whole: nothing is damaged, and %s is lost\n", lost)
	}
}
