package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"journal/events"
	"journal/events/text"
	"journal/projections"
)

// compoundDoc is what `journal compound show --json` prints.
type compoundDoc struct {
	Unpromoted int                        `json:"unpromoted"`
	Entries    []projections.FlowEntry    `json:"entries"` // newest first
	Last       *projections.CompoundState `json:"last"`    // null when there was none
}

var _ = verb(func(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:     "compound",
		GroupID: recording,
		Short:   "promotion of working notes to lasting knowledge: done, show",
		Long: `Records that working notes were promoted to lasting knowledge, and shows those that were not.
The promotion itself is the person's and the agent's; the journal never starts it.

Exit codes: 0, 1 refused or not durable, 2 usage.`,
	}
	c.AddCommand(a.compoundDone(), a.compoundShow())
	return c
})

func (a *app) compoundDone() *cobra.Command {
	var t targetFlags
	var promoted int
	c := &cobra.Command{
		Use: "done [ENTRY…]", Short: "compound went over the working notes",
		Long: `Records that compound went over the working notes: those known by now wait no more. An audit
calls promoted only what is named here, by the id of ` + "`journal compound show`" + `, and what it finds in
the files of lasting knowledge; the others are reviewed.

Exit codes: 0 durable, 1 refused or not durable, 2 usage.`,
		RunE: func(c *cobra.Command, entries []string) error {
			if !c.Flags().Changed("promoted") {
				promoted = len(entries)
			}
			if promoted < len(entries) {
				return usage(c, errors.New("--promoted is a number of notes, and no less than those that are named"))
			}
			if err := a.areEntries(c, t, entries); err != nil {
				return err
			}
			return a.record(c, t, events.CompoundFinished{Promoted: promoted, Entries: entries})
		},
	}
	t.addNew(c)
	countFlag(c, &promoted, "promoted", "", 0, 0, maxCount, "how many were promoted (default: those that are named)")
	a.jsonFlag(c)
	return offer(c, "promoted", "json")
}

// areEntries says whether ids are of entries of the project's working notes.
func (a *app) areEntries(c *cobra.Command, t targetFlags, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	fold, err := a.state(c, t, projections.Flow)
	if err != nil {
		return err
	}
	if _, others := entriesNamed(projections.Flow.In(fold), ids); len(others) > 0 {
		return withHint(fmt.Errorf("no entry %s", others[0]), "journal compound show")
	}
	return nil
}

func (a *app) compoundShow() *cobra.Command {
	var t targetFlags
	c := &cobra.Command{
		Use: "show", Short: "the working notes that are not promoted", Args: args(cobra.NoArgs),
		Long: `Shows the working notes that are not promoted, newest first, also those that are in no file
any more.

Exit codes: 0, 1 failure, 2 usage.`,
		RunE: func(c *cobra.Command, _ []string) error {
			fold, err := a.state(c, t, projections.Flow)
			if err != nil && !errors.Is(err, errNoJournal) {
				return err
			}
			var flow projections.FlowState
			if fold != nil {
				flow = projections.Flow.In(fold)
			}
			doc := compoundDoc{Entries: flow.Waiting()}
			if doc.Unpromoted = len(doc.Entries); doc.Entries == nil {
				doc.Entries = []projections.FlowEntry{}
			}
			if flow.Compound.Seq != 0 {
				doc.Last = &flow.Compound
			}
			return a.print(doc, func() { a.printCompound(doc) })
		},
	}
	t.add(c)
	a.jsonFlag(c)
	return offer(c, "promoted", "json")
}

func (a *app) printCompound(doc compoundDoc) {
	last := "never"
	if doc.Last != nil {
		last = fmt.Sprintf("%s (#%d, %d promoted)", doc.Last.At.Time().Local().Format(time.DateTime), doc.Last.Seq, doc.Last.Promoted)
	}
	fmt.Fprintf(a.out, "last compound: %s\nnot promoted: %d\n", last, doc.Unpromoted)
	printEach(a, doc.Entries, entryLine)
}

// entryLine shows an entry to a person.
func entryLine(e projections.FlowEntry) string {
	title := e.Heading
	if title == "" {
		title = e.Text
	}
	where := e.File
	if where == "" {
		where = "a note"
	}
	if e.DroppedSeq != 0 {
		where = fmt.Sprintf("no more in %s since #%d", where, e.DroppedSeq)
	}
	return fmt.Sprintf("%-12s %s (%s)", e.ID, text.CutUnits(oneLine(title), 100), where)
}
