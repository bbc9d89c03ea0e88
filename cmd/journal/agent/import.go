package agent

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/embedded/store/ownership"
	"journal/events/text"
	"journal/journal"
	"journal/journal/agents/backfill"
	"journal/journal/agents/transcript"
	"journal/journal/forgotten"
	"journal/journal/wire"
	"journal/journal/wire/client"
)

var _ = cli.Verb(cli.Caring, func(a *cli.App) *cobra.Command {
	var agent string
	var options importOptions
	c := cli.NewCommand("import PATH...", "past sessions from their transcripts",
		`Reads transcripts of agents, from files or folders, and adds what the log does not hold: the
events that hooks would have reported, redacted and cut the same way. A second import adds nothing.

  `+importExample()+`

If hooks recorded only a part of a session, what came after that part is added to the session. What
came before becomes the session SESSION~1, and what hooks missed in between SESSION~2 and so on,
because nothing can be inserted between recorded events. Rows that a fork repeats from its original
session are imported once. A broken row becomes a gap. What journal forget removed is left out.

Agents delete transcripts after some weeks. Some keep a list of all prompts beside the transcripts:
from it come the prompts of sessions that have no transcript any more and are not in the log.`,
		func(c *cobra.Command, paths []string) error {
			agents := transcript.Agents()
			if agent != "" {
				if _, err := transcript.Named(agent); err != nil {
					return cli.Usage(err)
				}
				agents = []string{agent}
			}
			doc, err := importAll(c.Context(), a, paths, agents, options)
			if err != nil {
				return err
			}
			if err := a.Print(doc, func() { printImport(a, doc) }); err != nil {
				return err
			}
			if doc.Skipped == len(doc.Files) {
				if slices.ContainsFunc(doc.Files, func(f backfill.FileSummary) bool { return f.Skip == client.ErrPaused.Error() }) {
					return client.ErrPaused
				}
				return cli.WithHint(errNoTranscript, importExample())
			}
			return nil
		})
	c.Flags().StringVar(&agent, "agent", "", "whose transcripts they are: "+strings.Join(transcript.Agents(), ", ")+" (default: detected)")
	c.Flags().BoolVar(&options.Forgotten, "forgotten", false, "import what journal forget removed, too")
	c.Flags().BoolVar(&options.DryRun, "dry-run", false, "only show what would be added")
	return a.JSONFlag(c)
})

// errNoTranscript is the error of an import that finds no transcript, or none that it can use.
var errNoTranscript = errors.New("no transcripts there")

// importExample returns a command that imports one agent's transcripts.
func importExample() string { return "journal import " + transcript.Folders(transcript.Agents())[0] }

// importOptions configure an import.
type importOptions struct {
	DryRun    bool // only compute what would be added
	Forgotten bool // also add what journal forget removed
}

// importAll reads the transcripts at or below some paths, and adds their events to the log, except those that the log has. agents
// are the agents whose transcripts are recognised.
func importAll(ctx context.Context, a *cli.App, paths, agents []string, options importOptions) (*backfill.Summary, error) {
	files, total, err := backfill.Transcripts(ctx, paths, agents)
	if err != nil {
		return nil, cli.WithHint(err, importExample())
	}
	if len(files) == 0 {
		return nil, cli.WithHint(errNoTranscript, importExample())
	}
	var o backfill.Options
	if !options.Forgotten {
		if o.Forgotten, err = forgotten.Open(a.Dir); err != nil {
			return nil, cli.WithHint(err, "journal restore-backup elsewhere to get it back, or journal import --forgotten, which imports everything")
		}
	}
	if !options.DryRun { // a.Read, which starts the owner that stores the events, needs an existing directory
		if err := ownership.Prepare(a.Dir); err != nil {
			return nil, cli.WithHint(err, "journal doctor")
		}
		o.Send = func(ctx context.Context, r wire.Request) (client.Receipt, error) { return cli.SendMany(ctx, a, r) }
	}
	inventory := backfill.NewInventory()
	err = a.Read(ctx, func(log *journal.Log) (err error) {
		inventory, err = backfill.ReadInventory(ctx, log)
		return cli.Damaged(err)
	})
	if err != nil && !errors.Is(err, cli.ErrNoJournal) {
		return nil, err
	}
	var before runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	debug.SetGCPercent(importGC)
	debug.SetMemoryLimit(int64(before.HeapAlloc) + importMemory)
	show, end := a.Progress("read")
	defer end()
	o.Progress = func(done int64) { show(done, total) }
	return backfill.Import(ctx, files, inventory, o)
}

// Bounds of the garbage of an import. Nearly all memory that an import allocates is garbage at once, and with the default setting
// the garbage collector took a quarter of the import's time. So garbage may grow to importGC percent of the live heap, but the heap
// by about importMemory bytes at most over its size at the beginning.
const (
	importGC     = 400
	importMemory = 48 << 20
)

// printImport prints for people what an import added.
func printImport(a *cli.App, doc *backfill.Summary) {
	for _, f := range doc.Files {
		switch {
		case f.Skip != "":
			fmt.Fprintf(a.Out, "skipped  %s: %s\n", f.Path, f.Skip)
		case f.Missed > 0 || f.Before > 0:
			fmt.Fprintf(a.Out, "partly   %s: %s before the first hook, %d that hooks missed\n", f.Session, text.Counted(f.Before, "step"), f.Missed)
		}
	}
	added := "events added"
	if doc.DryRun {
		added = "would be added"
	}
	a.Table(func(row func(...any)) {
		rowIfAny := func(label string, n int) {
			if n > 0 {
				row(label, n)
			}
		}
		row("transcripts", len(doc.Files)-doc.Skipped)
		row("sessions", doc.Sessions)
		row("read", cli.Size(uint64(doc.Bytes)))
		row("compactions", doc.Compactions)
		if known := doc.Known; known.All() > 0 {
			row("  new", doc.Compactions-known.All())
			rowIfAny("  known, recorded by hooks", known.Hooked)
			rowIfAny("  known, in another file, or imported before", known.Imported)
			rowIfAny("  known, of the session that it was forked from", known.Forked)
		}
		rowIfAny("summaries hooks did not report", doc.Late)
		row("files skipped", doc.Skipped)
		row("broken rows", doc.Broken)
		row("gaps", doc.Gaps)
		rowIfAny("steps left out: forgotten", doc.Forgotten)
		row(added, doc.Events)
		for _, t := range slices.Sorted(maps.Keys(doc.Types)) {
			row("  "+string(t), doc.Types[t])
		}
	})
	if doc.Forgotten > 0 {
		a.Note("what journal forget removed is left out; journal import --forgotten imports it, too")
	}
	if doc.Spooled {
		fmt.Fprintln(a.Out, "some of it waits in the spool: journal status")
	}
	if doc.Events > 0 && !doc.DryRun {
		fmt.Fprintf(a.Out, "The sessions, and what their compactions lost:\n  %s\n  %s\n", a.Advice("journal sessions"), a.Advice("journal audit --all"))
	}
}
