package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"time"

	"github.com/spf13/cobra"

	"journal/events"
	"journal/journal/redact"
	"journal/projections"
)

var _ = verb(func(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "markers",
		Short: "the marker files of older tools: write, import",
		Long: `Writes the marker files that older tools read, as views of what the log says, and reads once what
such a file tells of the time before the log.

Exit codes: 0; 1 failure; 2 usage.`,
	}
	c.AddCommand(a.markersWrite(), a.markersImport())
	return c
})

func (a *app) markersWrite() *cobra.Command {
	var t targetFlags
	c := &cobra.Command{
		Use:   "write [DIR]",
		Short: "write last-compact.json, context-pressure.json and compound-last-run.json",
		Long: `Writes last-compact.json, context-pressure.json and compound-last-run.json, as far as the log
knows what stands in them, into DIR: by default .claude/context of the project. compoundRun is
true when compound was later in the log than the last compaction and than the newest entry that
was not promoted; the tool that this replaces compared times (S1.6, S1.15). What was imported is
written where the log knows nothing itself. A file that says the same already stays as it is.

Exit codes: 0; 1 failure; 2 usage.`,
		Args: args(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			fold, err := a.state(c, t, projections.LastCompact, projections.Pressure, projections.CompoundLastRun)
			if err != nil {
				return err
			}
			return a.writeMarkers(markersDir(a.root(t.project), args), fold)
		},
	}
	t.add(c)
	return c
}

// markersDir is where the markers of a project are, unless an argument says.
func markersDir(root string, args []string) string {
	if len(args) == 1 {
		return args[0]
	}
	return filepath.Join(root, ".claude", "context")
}

// pressureFile is the marker that tells how full a context is.
const pressureFile = "context-pressure.json"

// The marker files, with the keys that their readers know (FORMATS S1).
type (
	lastCompactMarker struct {
		Timestamp       string `json:"timestamp"`
		Trigger         string `json:"trigger"`
		CompoundRun     bool   `json:"compoundRun"`
		ProgressSummary struct {
			EntryCount     int      `json:"entryCount"`
			RecentHeadings []string `json:"recentHeadings"`
		} `json:"progressSummary"`
		ConfidenceSummary struct {
			TotalEntries    int     `json:"totalEntries"`
			AvgConfirmed    float64 `json:"avgConfirmed"`
			UnverifiedCount int     `json:"unverifiedCount"`
		} `json:"confidenceSummary"`
	}
	pressureMarker struct {
		UsedPercentage    int    `json:"usedPercentage"`
		Timestamp         string `json:"timestamp"`
		LastNotifiedLevel string `json:"lastNotifiedLevel"`
	}
	compoundMarker struct {
		Timestamp     string `json:"timestamp"`
		PromotedCount int    `json:"promotedCount"`
	}
)

// writeMarkers writes the markers that the log has something for.
func (a *app) writeMarkers(dir string, f *projections.Fold) error {
	markers := map[string]any{}
	if c := projections.LastCompact.In(f); c.Count > 0 || c.Imported > 0 {
		m := lastCompactMarker{Timestamp: stamp(c.At), Trigger: c.Trigger, CompoundRun: c.CompoundDone}
		m.ProgressSummary.EntryCount = c.Unpromoted
		m.ProgressSummary.RecentHeadings = append([]string{}, c.Headings...)
		m.ConfidenceSummary.TotalEntries = c.Confidence.Entries
		m.ConfidenceSummary.AvgConfirmed = c.Confidence.Mean
		m.ConfidenceSummary.UnverifiedCount = c.Confidence.Unverified
		markers[events.LastCompactMarker] = m
	}
	if p := projections.Pressure.In(f); p.Seq > 0 {
		level := p.Notified
		if level == "" {
			level = projections.LevelNone
		}
		markers[pressureFile] = pressureMarker{p.UsedPercent, stamp(p.At), level}
	}
	if c := projections.CompoundLastRun.In(f); c.Seq > 0 || c.Imported > 0 {
		markers[events.CompoundMarker] = compoundMarker{stamp(c.At), c.Promoted}
	}
	if len(markers) == 0 {
		fmt.Fprintln(a.out, "the log knows of no compaction, no pressure and no compound: nothing written")
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, m := range markers {
		b, err := json.MarshalIndent(m, "", "  ")
		if err != nil {
			return err
		}
		path := filepath.Join(dir, name)
		if name != pressureFile && says(path, name, b) {
			fmt.Fprintln(a.out, path)
			continue
		}
		if err := os.WriteFile(path+".tmp", append(b, '\n'), 0o644); err != nil {
			return err
		}
		if err := os.Rename(path+".tmp", path); err != nil {
			return err
		}
		fmt.Fprintln(a.out, path)
	}
	return nil
}

// stamp spells a time for a marker, empty when it is not known: an imported marker
// may tell none.
func stamp(s projections.Stamp) string {
	if s == 0 {
		return ""
	}
	return s.Time().Format(time.RFC3339)
}

// says tells whether a marker file says the same as the bytes to be written, in its
// own spelling. Such a file is left alone: other bytes would look like another
// compound to the next hook (DECISIONS 2.6), and like another marker to import.
func says(path, name string, b []byte) bool {
	there, err := readMarker(path, name)
	if err != nil {
		return false
	}
	mine, err := parseMarker(name, b)
	return err == nil && reflect.DeepEqual(facts(there), facts(mine))
}

// facts is what a marker tells: as the log would keep it, to the second.
func facts(e events.MarkerImported) events.MarkerImported {
	e = events.MapText(e, redact.Text)
	if t, err := time.Parse(time.RFC3339, e.At); err == nil {
		e.At = t.UTC().Format(time.RFC3339)
	}
	if len(e.Headings) == 0 {
		e.Headings = nil
	}
	e.Digest = ""
	return e
}
