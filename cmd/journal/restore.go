package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"journal/journal/observe"
	"journal/journal/redact"
	"journal/projections"
)

var _ = verb(func(a *app) *cobra.Command {
	var t targetFlags
	var to string
	var dropped, asJSON bool
	c := &cobra.Command{
		Use:   "restore [ITEM…]",
		Short: "working notes that are in no file any more: list them, print them, write them back",
		Long: `Without an item, lists the entries of working notes that were dropped from their files, newest
first. With items, or with --dropped for all of them, gives them word for word as markdown:
on stdout, or at the end of the file that --to names.

  journal restore
  journal restore flow-120.2 --to .claude/context/progress.md

What was redacted when the entry was recorded stays so, and is counted on stderr. A file that
still holds an entry is not written to: what stands there is newer, or not redacted.

Exit codes: 0; 1 failure; 2 usage.`,
		RunE: func(c *cobra.Command, items []string) error {
			switch {
			case dropped && len(items) > 0:
				return usage(c, errors.New("either items or --dropped"))
			case to != "" && !dropped && len(items) == 0:
				return usage(c, errors.New("--to needs items, or --dropped"))
			}
			fold, err := a.state(c, t, projections.Flow)
			if err != nil {
				return err
			}
			flow := projections.Flow.In(fold)
			chosen := flow.Lost()
			if len(items) > 0 {
				if chosen, err = entriesNamed(flow, items); err != nil {
					return err
				}
			}
			switch {
			case asJSON:
				return a.printJSON(slices.Concat([]projections.FlowEntry{}, chosen))
			case len(items) == 0 && !dropped:
				printEach(a, chosen, entryLine)
				return nil
			}
			return a.restore(chosen, to)
		},
	}
	t.add(c)
	c.Flags().StringVar(&to, "to", "", "write to the end of this file")
	c.Flags().BoolVar(&dropped, "dropped", false, "every entry that was dropped")
	c.Flags().BoolVar(&asJSON, "json", false, "one JSON document")
	return c
})

// entriesNamed finds entries by their ids, newest first.
func entriesNamed(flow projections.FlowState, items []string) ([]projections.FlowEntry, error) {
	var chosen []projections.FlowEntry
	for _, e := range flow.Entries {
		if slices.Contains(items, e.ID) {
			chosen = append(chosen, e)
			items = slices.DeleteFunc(slices.Clone(items), func(id string) bool { return id == e.ID })
		}
	}
	if len(items) > 0 {
		return nil, withHint(fmt.Errorf("no entry %s", strings.Join(items, ", ")), "journal restore")
	}
	return chosen, nil
}

// restore writes entries, oldest first as they were written, and says how much
// of them was redacted (DECISIONS 2.14).
func (a *app) restore(chosen []projections.FlowEntry, to string) error {
	slices.Reverse(chosen)
	marks := 0
	var b strings.Builder
	for _, e := range chosen {
		marks += redact.Count(e.Heading) + redact.Count(e.Text)
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		b.WriteString(markdownOf(e))
	}
	if to == "" {
		fmt.Fprint(a.out, b.String())
	} else if err := appendNotes(to, chosen, b.String()); err != nil {
		return err
	} else {
		fmt.Fprintf(a.out, "%d entries written to %s\n", len(chosen), to)
	}
	if marks > 0 {
		fmt.Fprintf(a.err, "note: %d redacted parts are not restored; they are marked in the text\n", marks)
	}
	return nil
}

// markdownOf gives an entry as it stood in its file.
func markdownOf(e projections.FlowEntry) string {
	if e.File == "" { // a note has no line of its own for its heading
		return strings.TrimRight("## "+e.Heading, " ") + "\n\n" + e.Text + "\n"
	}
	return strings.TrimRight("## "+e.Heading, " ") + "\n" + e.Text + "\n"
}

// appendNotes writes entries to the end of a file, all of them or none. It
// refuses a file that holds one of them.
func appendNotes(path string, entries []projections.FlowEntry, markdown string) error {
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	_, there := observe.Parse(redact.Text(string(old)))
	for _, e := range entries {
		for _, now := range there {
			if e.Is(now) {
				return withHint(fmt.Errorf("%s still holds %s (%s); nothing is written", path, e.ID, e.Heading), "journal restore "+e.ID)
			}
		}
	}
	switch {
	case len(old) == 0:
	case !strings.HasSuffix(string(old), "\n"):
		markdown = "\n\n" + markdown
	case !strings.HasSuffix(string(old), "\n\n"):
		markdown = "\n" + markdown
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(markdown)
	return errors.Join(err, f.Close())
}
