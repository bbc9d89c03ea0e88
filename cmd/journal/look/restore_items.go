package look

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/events"
	"journal/journal"
	"journal/journal/notes"
	"journal/journal/redact"
	"journal/projections"
	"journal/replay/audit"
)

// restoreItems gives items of an audit, the named ones or all that are lost, as
// markdown: to the person, to a file, or to the agent with its next prompt.
func restoreItems(a *cli.App, c *cobra.Command, names []string, f restoreFlags) error {
	var target projections.Target
	var chosen []audit.Item
	err := a.Read(c.Context(), func(log *journal.Log) error {
		var report audit.Report
		var err error
		if target, report, err = auditOf(c.Context(), a, log, f.target); err != nil {
			return err
		}
		chosen, err = itemsNamed(report, names, f.routine)
		return err
	})
	if err != nil {
		return err
	}
	markdown := audit.Text(chosen)
	switch {
	case a.AsJSON && (!f.inject || len(chosen) == 0):
		return a.PrintJSON(append([]audit.Item{}, chosen...))
	case len(chosen) == 0:
		fmt.Fprintln(a.Out, "nothing worth keeping is lost")
		return nil
	case f.inject:
		return inject(a, c, f.target, target, chosen, markdown)
	case f.to != "":
		if err := notes.Append(f.to, markdown); err != nil {
			return err
		}
		fmt.Fprintf(a.Out, "%s written to %s\n", cli.Counted(len(chosen), "item"), f.to)
	default:
		fmt.Fprint(a.Document(), markdown)
	}
	noteRedacted(a, redact.Count(markdown))
	return nil
}

// itemsNamed finds the items with these ids in any compaction, or with no ids
// those that the agent lacks.
func itemsNamed(r audit.Report, names []string, routine bool) ([]audit.Item, error) {
	if len(names) == 0 {
		return r.Lost(routine), nil
	}
	var chosen []audit.Item
	for _, name := range names {
		it, ok := r.Find(name)
		if !ok {
			return nil, cli.WithHint(fmt.Errorf("no item %s", name), "journal audit --lost, or journal restore for entries of working notes")
		}
		if !slices.ContainsFunc(chosen, func(o audit.Item) bool { return o.ID == it.ID }) {
			chosen = append(chosen, it)
		}
	}
	return chosen, nil
}

// inject records that the agent is to be given items with its next prompt.
func inject(a *cli.App, c *cobra.Command, t cli.TargetFlags, target projections.Target, chosen []audit.Item, markdown string) error {
	e := events.RestoreRequested{Text: markdown}
	for _, it := range chosen {
		e.Items = append(e.Items, it.ID)
	}
	about := a.About(t)
	about.Session, about.Lane = target.Session, target.Lane
	receipt, err := a.Appender().Append(c.Context(), about, e)
	if err != nil {
		return cli.NotRecorded(err)
	}
	if a.AsJSON {
		return a.PrintReceipt(receipt)
	}
	fmt.Fprintf(a.Out, "the agent gets %s with its next prompt in session %s\n", cli.Counted(len(chosen), "item"), journal.ShortID(target.Session))
	return nil
}
