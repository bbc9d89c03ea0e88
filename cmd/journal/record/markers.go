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
		`Writes the marker files that older tools read, from what the log holds, and reads once what
such files say about the time before the log.`, nil)
	c.AddCommand(markersWrite(a), markersImport(a))
	return c
})

func markersWrite(a *cli.App) *cobra.Command {
	var t cli.TargetFlags
	c := cli.NewCommand("write [DIR]", "write the marker files from the log",
		`Writes last-compact.json, context-pressure.json and compound-last-run.json, as far as the log
knows their content, into DIR: by default .claude/context of the project. compoundRun is
true if the last compound is later in the log than the last compaction and than the newest entry
that was not promoted; the original tool compared times (S1.6, S1.15). Imported markers are written
where the log itself knows nothing. A file that already says the same is left alone.`,
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

// markersDir returns the directory of a project's markers; an argument overrides it.
func markersDir(root string, args []string) string {
	return append(args, notes.MarkersDir(root))[0]
}

// writeMarkers writes the markers that the log has content for.
func writeMarkers(a *cli.App, dir string, f *projections.Fold) error {
	all := markersOf(f)
	if len(all) == 0 {
		fmt.Fprintln(a.Out, "the log knows of no compaction, no pressure and no compound: nothing written")
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

// markersOf returns what the log holds of a session and its project as markers.
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
	if p := projections.Pressure.In(f); p.Tokens > 0 || p.UsedPercent > 0 { // measured
		all = append(all, notes.Pressure{
			UsedPercentage: p.UsedPercent, Timestamp: stamp(p.At), LastNotifiedLevel: cmp.Or(p.Notified, projections.LevelNone),
		})
	}
	if c := projections.CompoundLastRun.In(f); c.Seq > 0 || c.Imported > 0 {
		all = append(all, notes.Compound{Timestamp: stamp(c.At), PromotedCount: c.Promoted})
	}
	return all
}

// stamp formats a time for a marker; empty if it is not known, as in some imported
// markers.
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

type markerImport struct {
	Marker string `json:"marker"`
	Seq    uint64 `json:"seq"` // 0 while it waits in the spool
	At     string `json:"at"`  // the marker's own time, empty without one
}

type markerSkip struct {
	Marker string `json:"marker"`
	Why    string `json:"why"`
}

func (d *markersDoc) skip(marker, why string) {
	d.Skipped = append(d.Skipped, markerSkip{marker, why})
}

func markersImport(a *cli.App) *cobra.Command {
	var project string
	c := cli.NewCommand("import [DIR]", "record what marker files say about the time before the log",
		`Reads last-compact.json and compound-last-run.json in DIR, by default .claude/context of the
project, and records what they say. New sessions are told it, marked as imported, until the log
itself holds a compaction or a compound; a marker counts as neither. The same content is imported
once. context-pressure.json is not imported: its session is over.

Files are at most 64 KiB. One that cannot be used is named on stderr; the others are imported.
With --json, seq is 0 for what waits in the spool.

Exit codes: 0 durable; 1 failure, or a file that cannot be used; 2 usage.`,
		func(c *cobra.Command, args []string) error {
			root := a.Root(project)
			dir := markersDir(root, args)
			if err := cli.CheckDirectory(dir); err != nil {
				return cli.WithHint(err, "journal markers import DIR")
			}
			doc := markersDoc{Imported: []markerImport{}, Skipped: []markerSkip{}}
			found, bad := markersIn(a, dir, &doc)
			if err := importMarkers(c.Context(), a, root, found, &doc); err != nil {
				return err
			}
			return cmp.Or(a.Print(doc, func() { printMarkers(a, doc) }), cli.ExitIf(bad, cli.ExitError))
		})
	c.Flags().StringVar(&project, "project", "", "project directory (the agent's own variable, the git top level, the working directory)")
	return a.JSONFlag(c)
}

// markersIn reads the markers of a directory. bad reports that one of them cannot be
// used; it was named on stderr.
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
	if _, err := os.Lstat(filepath.Join(dir, notes.PressureName)); err == nil {
		doc.skip(notes.PressureName, "not history")
	} else {
		doc.skip(notes.PressureName, "not there")
	}
	return found, bad
}

// importMarkers records the markers that the log does not hold.
func importMarkers(ctx context.Context, a *cli.App, root string, found []events.MarkerImported, doc *markersDoc) error {
	if len(found) == 0 {
		return nil
	}
	// An owner is needed, so that the import goes past the spool.
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
			if seq, before := held[e.ID]; before {
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
