package record

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/events"
	"journal/projections"
)

// compoundDoc is the JSON document of `journal compound show`.
type compoundDoc struct {
	Unpromoted int                        `json:"unpromoted"`
	Entries    []projections.FlowEntry    `json:"entries"` // newest first
	Last       *projections.CompoundState `json:"last"`    // the last compound; null if there was none
}

var _ = cli.Verb(cli.Recording, func(a *cli.App) *cobra.Command {
	c := cli.NewCommand("compound", "record that working notes were turned into learnings",
		`Records that working notes were promoted to learnings, and shows those that no compound has reviewed. A
person and an agent promote them; journal never starts a promotion.

Exit codes: 0, 1 refused or not durable, 2 usage.`, nil)
	c.AddCommand(compoundDone(a), compoundShow(a))
	return c
})

// compoundDone makes the command `journal compound done`.
func compoundDone(a *cli.App) *cobra.Command {
	var t cli.TargetFlags
	var promoted int
	c := cli.NewCommand("done [ENTRY…]", "a compound reviewed the working notes",
		`Records that a compound reviewed all present working notes: they no longer wait. An audit calls a note
promoted only if it is named here, by its id in `+"`journal compound show`"+`, or found in the files of
learnings; the others count as reviewed.`,
		func(c *cobra.Command, entries []string) error {
			if !c.Flags().Changed("promoted") {
				promoted = len(entries)
			}
			if promoted < len(entries) {
				return cli.Usage(errors.New("--promoted must not be less than the number of notes that are named"))
			}
			if err := checkEntries(a, c, t, entries); err != nil {
				return err
			}
			return a.Record(c, t, events.CompoundFinished{Promoted: promoted, Entries: entries})
		})
	t.AddNew(c)
	cli.CountFlag(c, &promoted, "promoted", "", 0, 0, cli.MaxCount, "how many were promoted (default: as many as are named)")
	return cli.AllowAgents(a.JSONFlag(c), "promoted", "json")
}

// checkEntries returns an error unless each id is that of an entry of the project's working notes.
func checkEntries(a *cli.App, c *cobra.Command, t cli.TargetFlags, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	flow, err := cli.StateOf(a, c, t, projections.Flow)
	if err != nil {
		return err
	}
	if _, others := cli.EntriesNamed(flow, ids); len(others) > 0 {
		return cli.WithHint(fmt.Errorf("no entry %s", others[0]), "journal compound show")
	}
	return nil
}

// compoundShow makes the command `journal compound show`.
func compoundShow(a *cli.App) *cobra.Command {
	var t cli.TargetFlags
	c := cli.NewCommand("show", "the working notes that no compound has reviewed",
		`Shows the working notes that no compound has reviewed, newest first, including those that were removed
from their files, without those of plans.`+cli.ShowExits,
		func(c *cobra.Command, _ []string) error {
			fold, err := a.State(c, t, projections.Flow, projections.CompoundLastRun)
			if err != nil {
				return err
			}
			doc := compoundDoc{Entries: append([]projections.FlowEntry{}, projections.Flow.In(fold).Waiting()...)}
			doc.Unpromoted = len(doc.Entries)
			if last := projections.CompoundLastRun.In(fold); cmp.Or(last.Seq, last.Imported) != 0 {
				doc.Last = &last
			}
			return a.Print(doc, func() { printCompound(a, doc) })
		})
	t.Add(c)
	return cli.AllowAgents(a.JSONFlag(c), "json")
}

// printCompound prints the working notes and the last compound for people.
func printCompound(a *cli.App, doc compoundDoc) {
	last := "never"
	if l := doc.Last; l != nil {
		origin, at := "", "time unknown"
		if l.Seq == 0 {
			origin = "imported, "
		}
		if l.At != 0 { // an imported marker may have no time
			at = l.At.Time().Local().Format(time.DateTime)
		}
		last = fmt.Sprintf("%s (%s#%d, %d promoted)", at, origin, cmp.Or(l.Seq, l.Imported), l.Promoted)
	}
	fmt.Fprintf(a.Out, "last compound: %s\nnot reviewed: %d\n", last, doc.Unpromoted)
	cli.PrintEach(a, doc.Entries, cli.EntryLine)
}
