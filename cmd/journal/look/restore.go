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
		`Without an item, lists the entries of working notes that were dropped from their files, newest
first. With items, or with --dropped for all of them, prints them word for word as markdown, or
appends them to the file that --to names. An item is anything that journal audit names; --lost
means everything that it calls lost.

  journal restore
  journal restore flow-120.2 --to .claude/context/progress.md
  journal restore decision-18 todo-9.2 --inject

With --inject the agent gets them once, with its next prompt; that is recorded.

What was redacted when an item was recorded stays redacted, and is counted on stderr. A file that
still holds an entry is not written to: its version is newer, or not redacted.`,
		func(c *cobra.Command, items []string) error {
			if err := f.check(len(items) > 0); err != nil {
				return cli.Usage(err)
			}
			flow, err := cli.StateOf(a, c, f.target, projections.Flow)
			if err != nil {
				return err
			}
			chosen, wantsAudit := flow.Dropped(), f.lost
			if len(items) > 0 {
				var others []string
				chosen, others = cli.EntriesNamed(flow, items)
				wantsAudit = f.lost || len(others) > 0
			}
			switch {
			case f.inject && f.dropped:
				for _, e := range chosen {
					items = append(items, e.ID)
				}
				return restoreItems(a, c, items, f)
			case wantsAudit || f.inject:
				return restoreItems(a, c, items, f)
			case a.AsJSON:
				return a.PrintJSON(append([]projections.FlowEntry{}, chosen...))
			case len(chosen) == 0 || len(items) == 0 && !f.dropped:
				cli.PrintAll(a, chosen, "no entry of working notes was dropped from its file; what compactions lost: "+
					a.Advice("journal restore --lost"+f.target.Args()), cli.EntryLine)
				return nil
			}
			return restoreEntries(a, chosen, f.to)
		})
	f.target.Add(c)
	c.Flags().StringVar(&f.to, "to", "", "append to this file")
	c.Flags().BoolVar(&f.dropped, "dropped", false, "every entry that was dropped from its file")
	c.Flags().BoolVar(&f.lost, "lost", false, "every item that journal audit --lost lists")
	c.Flags().BoolVar(&f.inject, "inject", false, "give it to the agent with its next prompt")
	return cli.Literal(a.JSONFlag(c))
})

// restoreFlags holds the flags of journal restore.
type restoreFlags struct {
	target                cli.TargetFlags
	to                    string
	dropped, lost, inject bool
}

// check returns an error if the choices do not go together.
func (f restoreFlags) check(named bool) error {
	switch {
	case (named && (f.dropped || f.lost)) || f.dropped && f.lost:
		return errors.New("items, --dropped and --lost exclude each other")
	case (f.to != "" || f.inject) && !named && !f.dropped && !f.lost:
		return errors.New("--to and --inject need items, --dropped or --lost")
	case f.to != "" && f.inject:
		return errors.New("--to and --inject exclude each other")
	}
	return nil
}

// restoreEntries writes entries, oldest first as they were written.
func restoreEntries(a *cli.App, chosen []projections.FlowEntry, to string) error {
	slices.Reverse(chosen)
	marks := 0
	var b strings.Builder
	for _, e := range chosen {
		marks += redact.Count(e.Heading) + redact.Count(e.Text)
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		b.WriteString(e.Markdown())
	}
	if to == "" {
		fmt.Fprint(a.Document(), b.String())
	} else if err := appendNotes(to, chosen, b.String()); err != nil {
		return err
	} else {
		fmt.Fprintf(a.Out, "%s written to %s\n", cli.Counted(len(chosen), "entry"), to)
	}
	noteRedacted(a, marks)
	return nil
}

// noteRedacted prints how much of a restored text was redacted.
func noteRedacted(a *cli.App, marks int) {
	if marks > 0 {
		fmt.Fprintf(a.Err, "note: %d redacted parts are not restored; they are marked in the text\n", marks)
	}
}

// appendNotes writes entries to the end of a file, all of them or none. It
// refuses a file that holds one of them.
func appendNotes(path string, entries []projections.FlowEntry, markdown string) error {
	old, err := disk.ReadFile(path, notes.MaxAppended)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	_, present := sections.Parse(redact.Text(string(old)))
	for _, e := range entries {
		if slices.ContainsFunc(present, e.Is) {
			return cli.WithHint(fmt.Errorf("%s still holds %s (%s); nothing is written", path, e.ID, e.Heading), "journal restore "+e.ID)
		}
	}
	return notes.Append(path, markdown)
}

// restoreItems writes items of an audit, the named ones or all that are lost, as
// markdown: to stdout, to a file, or to the agent with its next prompt.
func restoreItems(a *cli.App, c *cobra.Command, names []string, f restoreFlags) error {
	var target projections.Target
	var chosen []audit.Item
	err := a.Read(c.Context(), func(log *journal.Log) error {
		var report audit.Report
		var err error
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

// itemsNamed returns the items with these ids in any compaction; without ids, those
// that are lost.
func itemsNamed(r audit.Report, names []string) ([]audit.Item, error) {
	if len(names) == 0 {
		return r.With(audit.Lost), nil
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
		return a.PrintReceipt(cli.Receipt{Receipt: receipt})
	}
	fmt.Fprintf(a.Out, "the agent gets %s with its next prompt in session %s\n", cli.Counted(len(chosen), "item"), journal.ShortID(target.Session))
	return nil
}
