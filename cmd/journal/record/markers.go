package record

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/embedded/store/ownership"
	"journal/events"
	"journal/journal"
	"journal/journal/notes"
	"journal/journal/wire/client"
	"journal/projections"
)

var _ = cli.Verb(cli.Caring, func(a *cli.App) *cobra.Command {
	c := cli.NewCommand("markers", "the marker files of older tools: write, import",
		`Writes marker files for older tools, which read them, and imports such files once as history before
the log.`, nil)
	c.AddCommand(markersWrite(a), markersImport(a))
	return c
})

// markersWrite makes the command `journal markers write`.
func markersWrite(a *cli.App) *cobra.Command {
	var t cli.TargetFlags
	c := cli.NewCommand("write [DIR]", "write the marker files from the log",
		`Writes last-compact.json, context-pressure.json and compound-last-run.json, as far as the log
has their content, into DIR: by default .claude/context of the project. compoundRun is true if the last
compound is later in the log than the last compaction and than the newest entry that was not promoted
(S1.6, S1.15). Where the log has no content of its own, it is that of an imported marker.`,
		func(c *cobra.Command, args []string) error {
			fold, err := a.State(c, t, projections.LastCompact, projections.Pressure, projections.CompoundLastRun)
			if err != nil {
				return err
			}
			return writeMarkers(a, markersDir(a.Root(t.Project), args), fold)
		})
	t.Add(c)
	return c
}

// markersDir returns DIR, the first of args. Without arguments it is the directory of the markers of the project at root.
func markersDir(root string, args []string) string {
	if len(args) > 0 {
		return args[0]
	}
	return notes.MarkersDir(root)
}

// writeMarkers writes the markers that the fold has content for, and prints their paths.
func writeMarkers(a *cli.App, dir string, f *projections.Fold) error {
	all := markersOf(f)
	if len(all) == 0 {
		fmt.Fprintln(a.Out, "nothing written: the log has no compaction, no context usage and no compound")
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, m := range all {
		path, err := notes.WriteMarker(dir, m)
		if err != nil {
			return err
		}
		fmt.Fprintln(a.Out, path)
	}
	return nil
}

// markersOf returns the markers for which a fold has content.
func markersOf(f *projections.Fold) (all []notes.Marker) {
	if c := projections.LastCompact.In(f); c.Count > 0 || c.Imported > 0 {
		all = append(all, notes.LastCompact{
			Timestamp: stamp(c.At), Trigger: c.Trigger, CompoundRun: c.CompoundDone,
			ProgressSummary: notes.ProgressSummary{EntryCount: c.Unpromoted, RecentHeadings: append([]string{}, c.Headings...)},
			ConfidenceSummary: notes.ConfidenceSummary{
				TotalEntries: c.Confidence.Entries, AvgConfirmed: c.Confidence.Mean, UnverifiedCount: c.Confidence.Unverified,
			},
		})
	}
	if p := projections.Pressure.In(f); p.Tokens > 0 || p.UsedPercent > 0 { // the usage was measured
		all = append(all, notes.Pressure{
			UsedPercentage: p.UsedPercent, Timestamp: stamp(p.At), LastNotifiedLevel: cmp.Or(p.Notified, projections.LevelNone),
		})
	}
	if c := projections.CompoundLastRun.In(f); c.Seq > 0 || c.Imported > 0 {
		all = append(all, notes.Compound{Timestamp: stamp(c.At), PromotedCount: c.Promoted})
	}
	return all
}

// stamp formats a time for a marker. It returns "" for an unknown time, as imported markers may have.
func stamp(s projections.Stamp) string {
	if s == 0 {
		return ""
	}
	return s.Time().Format(time.RFC3339)
}

// markersDoc is the JSON document of `journal markers import`.
type markersDoc struct {
	Imported []markerImport `json:"imported"`
	Skipped  []markerSkip   `json:"skipped"`
}

// markerImport is a marker file that was recorded.
type markerImport struct {
	Marker string `json:"marker"`
	Seq    uint64 `json:"seq"` // 0 while it waits in the spool
	At     string `json:"at"`  // the time in the file, empty without one
}

// markerSkip is a marker file that was not recorded.
type markerSkip struct {
	Marker string `json:"marker"`
	Why    string `json:"why"`
}

// skip adds a marker that is not recorded, with the reason.
func (d *markersDoc) skip(marker, why string) {
	d.Skipped = append(d.Skipped, markerSkip{marker, why})
}

// markersImport makes the command `journal markers import`.
func markersImport(a *cli.App) *cobra.Command {
	var project string
	c := cli.NewCommand("import [DIR]", "record what marker files say about the time before the log",
		`Records the content of last-compact.json and compound-last-run.json in DIR, by default .claude/context
of the project, as imported. Texts for agents have it until the log itself has a compaction or a compound.
The same content is imported once. context-pressure.json is not imported, because its session is over.

Files are at most 64 KiB. One that cannot be used is named on stderr; the others are imported.
With --json, seq is 0 for an event that waits in the spool.

Exit codes: 0 durable; 1 failure, or a file that cannot be used; 2 usage.`,
		func(c *cobra.Command, args []string) error {
			root := a.Root(project)
			dir := markersDir(root, args)
			switch fi, err := os.Stat(dir); {
			case errors.Is(err, fs.ErrNotExist):
				return cli.WithHint(fmt.Errorf("there is no directory %s", dir), "journal markers import DIR")
			case err != nil:
				return err
			case !fi.IsDir():
				return cli.WithHint(fmt.Errorf("%s is not a directory", dir), "journal markers import DIR")
			}
			doc := markersDoc{Imported: []markerImport{}, Skipped: []markerSkip{}}
			found, bad := markersIn(a, dir, &doc)
			if err := importMarkers(c.Context(), a, root, found, &doc); err != nil {
				return err
			}
			return a.PrintExit(doc, func() { printMarkers(a, doc) }, bad, cli.ExitError)
		})
	c.Flags().StringVar(&project, "project", "", "project directory (the agent's own variable, the git top level, the working directory)")
	return a.JSONFlag(c)
}

// markersIn reads the markers of a directory that can be imported. It adds the others to doc as skipped: missing files, unusable
// ones, which it also names on stderr, and context-pressure.json. bad is set if a file is unusable.
func markersIn(a *cli.App, dir string, doc *markersDoc) (found []events.MarkerImported, bad bool) {
	for _, name := range []string{events.LastCompactMarker, events.CompoundMarker} {
		path := filepath.Join(dir, name)
		e, err := notes.ReadMarker(path)
		switch {
		case err == nil:
			found = append(found, e)
		case errors.Is(err, fs.ErrNotExist):
			doc.skip(name, "not there")
		default:
			bad = true
			doc.skip(name, err.Error())
			fmt.Fprintf(a.Err, "error: %s: %v; fix or remove it, and import again\n", path, err)
		}
	}
	why := "not there"
	if _, err := os.Lstat(filepath.Join(dir, notes.PressureName)); err == nil {
		why = "not history"
	}
	doc.skip(notes.PressureName, why)
	return found, bad
}

// importMarkers records the markers that the log does not have. It adds each marker to doc: as imported, or as skipped.
func importMarkers(ctx context.Context, a *cli.App, root string, found []events.MarkerImported, doc *markersDoc) error {
	if len(found) == 0 {
		return nil
	}
	// a.Read, which starts the owner that stores the markers, needs an existing directory.
	if err := ownership.Prepare(a.Dir); err != nil {
		return cli.WithHint(err, "journal doctor")
	}
	var report []events.Envelope
	err := a.Read(ctx, func(log *journal.Log) error {
		for _, m := range found {
			e, err := notes.WrapMarker(m, client.ProjectKey(root))
			if err != nil {
				return err
			}
			held, err := log.Find(ctx, 0, events.Selector{Project: e.Project, Session: e.Session, Type: e.Type}, e.ID)
			if err != nil {
				return err
			}
			if seq, known := held[e.ID]; known {
				doc.skip(m.Marker, fmt.Sprintf("imported before (#%d)", seq))
				continue
			}
			report = append(report, e)
			doc.Imported = append(doc.Imported, markerImport{Marker: m.Marker, At: m.At})
		}
		return nil
	})
	if err != nil || len(report) == 0 {
		return err
	}
	request, err := client.NewRequest(report, root)
	if err != nil {
		return err
	}
	receipt, err := cli.SendMany(ctx, a, request)
	for i, seq := range receipt.Seqs {
		doc.Imported[i].Seq = seq
	}
	return err
}

// printMarkers prints for people which markers were recorded.
func printMarkers(a *cli.App, doc markersDoc) {
	for _, m := range doc.Imported {
		where := "spooled"
		if m.Seq != 0 {
			where = fmt.Sprintf("imported (#%d)", m.Seq)
		}
		fmt.Fprintf(a.Out, "%s: %s\n", m.Marker, where)
	}
	cli.PrintEach(a, doc.Skipped, func(m markerSkip) string { return fmt.Sprintf("%s: %s, skipped", m.Marker, m.Why) })
}
