package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"journal/embedded/ownership"
	"journal/journal"
	"journal/journal/backfill"
	"journal/journal/client"
	"journal/journal/transcript"
	"journal/journal/wire"
)

var _ = verb(func(a *app) *cobra.Command {
	var agent string
	var dryRun bool
	c := &cobra.Command{
		Use:     "import PATH...",
		GroupID: caring,
		Short:   "past sessions from their transcripts",
		Long: `Reads transcripts of agents, files or folders with them, and adds what the log does not hold:
the same events that hooks would have told, redacted and cut alike. A second import adds nothing.

  ` + importExample() + `

Of a session that was also hooked, what lies before the first hook becomes the session SESSION~1,
what lies behind the last goes on with the session, and what hooks missed in between becomes
SESSION~2 and on, because nothing can be put between what was recorded. Of a fork, the rows of
the session that it was forked from are imported once. A broken row is kept as a gap.

Exit codes: 0; 1 failure; 2 usage.`,
		Args: args(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, paths []string) error {
			agents := transcript.Agents()
			if agent != "" {
				if _, err := transcript.Of(agent); err != nil {
					return usage(c, err)
				}
				agents = []string{agent}
			}
			doc, err := a.backfill(c.Context(), paths, agents, dryRun)
			if err != nil {
				return err
			}
			return a.print(doc, func() { a.printImport(doc) })
		},
	}
	c.Flags().StringVar(&agent, "agent", "", "whose transcripts they are: "+strings.Join(transcript.Agents(), ", ")+" (default: as their rows tell)")
	c.Flags().BoolVar(&dryRun, "dry-run", false, "say what would be added, and add nothing")
	a.jsonFlag(c)
	return c
})

// importExample is a command that imports what an agent keeps.
func importExample() string { return "journal import " + transcript.Folders()[0] }

func (a *app) backfill(ctx context.Context, paths, agents []string, dryRun bool) (*backfill.Summary, error) {
	files, total, err := backfill.Transcripts(ctx, paths, agents)
	if err == nil && len(files) == 0 {
		err = errors.New("no transcripts there")
	}
	if err != nil {
		return nil, withHint(err, importExample())
	}
	var o backfill.Options
	if !dryRun { // then an owner can be had, and the import goes past the spool
		if err := ownership.Prepare(a.dir); err != nil {
			return nil, withHint(err, "journal doctor")
		}
		o.Send = a.sendMany
	}
	debug.SetGCPercent(importGC)
	debug.SetMemoryLimit(importMemory)
	inventory := backfill.NewInventory()
	err = a.read(ctx, func(log *journal.Log) error {
		inventory, err = backfill.Take(ctx, log)
		return damaged(err)
	})
	if err != nil && !errors.Is(err, errNoJournal) {
		return nil, err
	}
	show, end := a.progress("imported")
	defer end()
	if show != nil {
		o.Progress = func(done int64) { show(done, total) }
	}
	return backfill.Import(ctx, files, inventory, o)
}

// Most of what an import makes is garbage at once, and to collect it as often as a program that
// stays took a quarter of the import's time. Garbage may grow to importGC percent of what is in
// use, which takes 160 MB instead of 70, but not for the sake of speed beyond importMemory bytes.
const (
	importGC     = 400
	importMemory = 512 << 20
)

// sendMany makes a request of many events durable; it waits for the fsync of a whole
// batch.
func (a *app) sendMany(ctx context.Context, r wire.Request) (client.Receipt, error) {
	receipt, err := a.appender().Send(ctx, r, 30*time.Second)
	if err != nil {
		return receipt, notRecorded(err)
	}
	return receipt, nil
}

func (a *app) printImport(doc *backfill.Summary) {
	for _, f := range doc.Files {
		switch {
		case f.Skip != "":
			fmt.Fprintf(a.out, "skipped  %s: %s\n", f.Path, f.Skip)
		case f.Missed > 0 || f.Before > 0:
			fmt.Fprintf(a.out, "partly   %s: %d steps before the first hook, %d that hooks missed\n", f.Session, f.Before, f.Missed)
		}
	}
	added := "events added"
	if doc.DryRun {
		added = "would be added"
	}
	a.table(func(row func(...any)) {
		row("transcripts", len(doc.Files)-doc.Skipped)
		row("sessions", doc.Sessions)
		row("read", size(uint64(doc.Bytes)))
		row("compactions", doc.Compactions)
		if known := doc.Known; known.All() > 0 {
			row("  new", doc.Compactions-known.All())
			for _, why := range []struct {
				what string
				n    int
			}{
				{"told by hooks", known.Hooked},
				{"in another file, or imported before", known.Imported},
				{"of the session that was forked", known.Forked},
			} {
				if why.n > 0 {
					row("  known, "+why.what, why.n)
				}
			}
		}
		if doc.Late > 0 {
			row("summaries hooks did not tell", doc.Late)
		}
		row("files skipped", doc.Skipped)
		row("broken rows", doc.Broken)
		row("gaps", doc.Gaps)
		row(added, doc.Events)
		for _, t := range slices.Sorted(maps.Keys(doc.Types)) {
			row("  "+string(t), doc.Types[t])
		}
	})
	if doc.Spooled {
		fmt.Fprintln(a.out, "some of it waits in the spool: journal status")
	}
	if doc.Events > 0 && !doc.DryRun {
		fmt.Fprintf(a.out, "The sessions, and what their compactions lost:\n  %s\n  %s\n", a.advice("journal sessions"), a.advice("journal audit --all"))
	}
}
