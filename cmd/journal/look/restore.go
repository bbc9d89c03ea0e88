package look

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/events"
	"journal/events/text"
	"journal/journal"
	"journal/journal/disk"
	"journal/journal/notes"
	"journal/journal/notes/sections"
	"journal/journal/redact"
	"journal/projections"
	"journal/replay/audit"
)

var _ = cli.Verb(cli.Looking, func(a *cli.App) *cobra.Command {
	var f restoreFlags
	c := cli.NewCommand("restore [ITEM…]", "restore what was lost: to the agent, or into a file",
		`Without an item, it lists the entries of working notes that were removed from their files, newest
first. Otherwise it prints the items word for word as Markdown, appends them to the file that --to names,
or with --inject gives them to the agent with its next prompt. --dropped means all the listed entries,
--lost everything that journal audit calls lost. An ITEM is an id of the list or of journal audit.

  journal restore
  journal restore flow-120.2 --to .claude/context/progress.md
  journal restore decision-18 todo-9.2 --inject

What was redacted when an item was recorded stays redacted, and is counted on stderr. A file that
still has an entry is not changed: its version may be newer, or not redacted.`,
		func(c *cobra.Command, items []string) error {
			if err := f.check(len(items) > 0, a.AsJSON); err != nil {
				return cli.Usage(err)
			}
			flow, err := cli.StateOf(a, c, f.target, projections.Flow)
			if err != nil {
				return err
			}
			chosen, others := flow.Dropped(), []string(nil)
			if len(items) > 0 {
				chosen, others = cli.EntriesNamed(flow, items)
			}
			if f.inject && f.dropped {
				for _, e := range chosen {
					items = append(items, e.ID)
				}
			}
			switch {
			case f.lost || f.inject && len(items) > 0 || len(others) > 0: // an audit finds items of every kind
				return restoreItems(a, c, items, f)
			case a.AsJSON:
				return a.PrintJSON(append([]projections.FlowEntry{}, chosen...))
			case len(chosen) == 0 || len(items) == 0 && !f.dropped:
				cli.PrintAll(a, chosen, "no entry of working notes was removed from its file; what compactions lost: "+
					a.Advice("journal restore --lost"+f.target.Args()), cli.EntryLine)
				return nil
			}
			return restoreEntries(a, chosen, f.to)
		})
	f.target.Add(c)
	c.Flags().StringVar(&f.to, "to", "", "append to this file")
	c.Flags().BoolVar(&f.dropped, "dropped", false, "every entry that was removed from its file")
	c.Flags().BoolVar(&f.lost, "lost", false, "every item that journal audit --lost lists")
	c.Flags().BoolVar(&f.inject, "inject", false, "give the items to the agent once, with its next prompt")
	return cli.Literal(a.JSONFlag(c))
})

// restoreFlags holds the flags of journal restore.
type restoreFlags struct {
	target                cli.TargetFlags
	to                    string
	dropped, lost, inject bool
}

// check returns an error for flags that do not fit together. named is set if items are named, asJSON is --json.
func (f restoreFlags) check(named, asJSON bool) error {
	switch {
	case (named && (f.dropped || f.lost)) || f.dropped && f.lost:
		return errors.New("items, --dropped and --lost exclude each other")
	case (f.to != "" || f.inject) && !named && !f.dropped && !f.lost:
		return errors.New("--to and --inject need items, --dropped or --lost")
	case f.to != "" && (f.inject || asJSON):
		return errors.New("--to excludes --inject and --json")
	}
	return nil
}

// restoreEntries prints entries, or appends them to the file that to names, the oldest first: all of them or, if the file has any of
// them already, none. In chosen the newest comes first.
func restoreEntries(a *cli.App, chosen []projections.FlowEntry, to string) error {
	if err := checkAbsent(to, chosen); err != nil {
		return err
	}
	var all []string
	for _, e := range slices.Backward(chosen) {
		all = append(all, e.Markdown())
	}
	return writeRestored(a, strings.Join(all, "\n"), text.Counted(len(chosen), "entry"), to)
}

// checkAbsent returns an error if a file has any of the entries. The file need not exist; without a name there is no error.
func checkAbsent(path string, entries []projections.FlowEntry) error {
	if path == "" {
		return nil
	}
	old, err := disk.ReadFile(path, notes.MaxAppended)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	_, present := sections.Parse(redact.Text(string(old)))
	for _, e := range entries {
		if slices.ContainsFunc(present, e.SameAs) {
			return cli.WithHint(fmt.Errorf("%s still has %s (%s); nothing is written", path, e.ID, e.Heading), "journal restore "+e.ID)
		}
	}
	return nil
}

// writeRestored prints restored Markdown, or appends it to the file that to names and prints what was written. A note has the number
// of parts that stay redacted.
func writeRestored(a *cli.App, markdown, written, to string) error {
	if to == "" {
		fmt.Fprint(a.Document(), markdown)
	} else {
		if err := notes.Append(to, markdown); err != nil {
			return err
		}
		fmt.Fprintf(a.Out, "%s written to %s\n", written, to)
	}
	if marks := redact.Count(markdown); marks > 0 {
		a.Note(fmt.Sprintf("%d redacted parts are not restored; they are marked in the text", marks))
	}
	return nil
}

// restoreItems restores items of an audit as Markdown: those with the names, or without names all lost ones. As the flags select,
// it prints them, appends them to a file, or records that the agent gets them with its next prompt.
func restoreItems(a *cli.App, c *cobra.Command, names []string, f restoreFlags) error {
	var target projections.Target
	var chosen []audit.Item
	err := a.Read(c.Context(), func(log *journal.Log) (err error) {
		var report audit.Report
		if target, report, err = auditOf(c.Context(), a, log, auditFlags{target: f.target}); err != nil {
			return err
		}
		chosen, err = itemsNamed(report, names)
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
	}
	return writeRestored(a, markdown, text.Counted(len(chosen), "item"), f.to)
}

// itemsNamed returns the items of any compaction with these ids; without ids, those that are lost.
func itemsNamed(r audit.Report, names []string) ([]audit.Item, error) {
	if len(names) == 0 {
		return r.WithStatus(audit.Lost), nil
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

// inject records that the agent gets items with its next prompt.
func inject(a *cli.App, c *cobra.Command, flags cli.TargetFlags, target projections.Target, chosen []audit.Item, markdown string) error {
	e := events.RestoreRequested{Text: markdown}
	for _, it := range chosen {
		e.Items = append(e.Items, it.ID)
	}
	about := a.About(flags)
	about.Session, about.Lane = target.Session, target.Lane
	receipt, err := a.Appender().Append(c.Context(), about, e)
	if err != nil {
		return cli.NotRecorded(err)
	}
	if a.AsJSON {
		return a.PrintReceipt(cli.Receipt{Receipt: receipt})
	}
	fmt.Fprintf(a.Out, "the agent gets %s with its next prompt in session %s\n", text.Counted(len(chosen), "item"), journal.ShortID(target.Session))
	return nil
}
