package record

import (
	"cmp"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/journal/notes/markers"
	"journal/projections"
)

var _ = cli.Verb(cli.Caring, func(a *cli.App) *cobra.Command {
	c := &cobra.Command{
		Use:   "markers",
		Short: "the marker files of older tools: write, import",
		Long: `Writes the marker files that older tools read, as views of what the log says, and reads once what
such a file tells of the time before the log.`,
	}
	c.AddCommand(markersWrite(a), markersImport(a))
	return c
})

func markersWrite(a *cli.App) *cobra.Command {
	var t cli.TargetFlags
	c := &cobra.Command{
		Use:   "write [DIR]",
		Short: "write the marker files, as the log has it",
		Long: `Writes last-compact.json, context-pressure.json and compound-last-run.json, as far as the log
knows what stands in them, into DIR: by default .claude/context of the project. compoundRun is
true when compound was later in the log than the last compaction and than the newest entry that
was not promoted; the tool that this replaces compared times (S1.6, S1.15). What was imported is
written where the log knows nothing itself. A file that says the same already stays as it is.`,
		RunE: func(c *cobra.Command, args []string) error {
			fold, err := a.State(c, t, projections.LastCompact, projections.Pressure, projections.CompoundLastRun)
			if err != nil {
				return err
			}
			return writeMarkers(a, markersDir(a.Root(t.Project), args), fold)
		},
	}
	t.Add(c)
	return c
}

// markersDir is where the markers of a project are, unless an argument says.
func markersDir(root string, args []string) string {
	if len(args) == 1 {
		return args[0]
	}
	return markers.Dir(root)
}

// writeMarkers writes the markers that the log has something for.
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
		path, err := markers.Write(dir, m)
		if err != nil {
			return err
		}
		fmt.Fprintln(a.Out, path)
	}
	return nil
}

// markersOf spells as markers what the log says of a session and its project.
func markersOf(f *projections.Fold) (all []markers.Marker) {
	if c := projections.LastCompact.In(f); c.Count > 0 || c.Imported > 0 {
		all = append(all, markers.LastCompact{
			Timestamp: stamp(c.At), Trigger: c.Trigger, CompoundRun: c.CompoundDone,
			ProgressSummary: markers.ProgressSummary{EntryCount: c.Unpromoted, RecentHeadings: append([]string{}, c.Headings...)},
			ConfidenceSummary: markers.ConfidenceSummary{
				TotalEntries: c.Confidence.Entries, AvgConfirmed: c.Confidence.Mean, UnverifiedCount: c.Confidence.Unverified,
			},
		})
	}
	if p := projections.Pressure.In(f); p.Tokens > 0 || p.UsedPercent > 0 { // not what nobody measured
		all = append(all, markers.Pressure{
			UsedPercentage: p.UsedPercent, Timestamp: stamp(p.At), LastNotifiedLevel: cmp.Or(p.Notified, projections.LevelNone),
		})
	}
	if c := projections.CompoundLastRun.In(f); c.Seq > 0 || c.Imported > 0 {
		all = append(all, markers.Compound{Timestamp: stamp(c.At), PromotedCount: c.Promoted})
	}
	return all
}

// stamp spells a time for a marker, empty when it is not known: an imported marker
// may tell none.
func stamp(s projections.Stamp) string {
	if s == 0 {
		return ""
	}
	return s.Time().Format(time.RFC3339)
}
