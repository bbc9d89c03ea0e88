package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"journal/projections"
)

var _ = verb(func(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "markers",
		Short: "the marker files of older tools, as views of the log: write",
		Long: `Writes the marker files that older tools read, as views of what the log says.

Exit codes: 0; 1 failure; 2 usage.`,
	}
	var t targetFlags
	write := &cobra.Command{
		Use:   "write [DIR]",
		Short: "write last-compact.json, context-pressure.json and compound-last-run.json",
		Long: `Writes last-compact.json, context-pressure.json and compound-last-run.json, as far as the log
knows what stands in them, into DIR: by default .claude/context of the project. compoundRun is
true when compound was later in the log than the last compaction and than the newest entry that
was not promoted; the tool that this replaces compared times (S1.6, S1.15).

Exit codes: 0; 1 failure; 2 usage.`,
		Args: args(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			fold, err := a.state(c, t, projections.LastCompact, projections.Pressure, projections.CompoundLastRun)
			if err != nil {
				return err
			}
			dir := filepath.Join(a.root(t.project), ".claude", "context")
			if len(args) == 1 {
				dir = args[0]
			}
			return a.writeMarkers(dir, fold)
		},
	}
	t.add(write)
	c.AddCommand(write)
	return c
})

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
	if c := projections.LastCompact.In(f); c.Count > 0 {
		m := lastCompactMarker{Timestamp: stamp(c.At), Trigger: c.Trigger, CompoundRun: c.CompoundDone}
		m.ProgressSummary.EntryCount = c.Unpromoted
		m.ProgressSummary.RecentHeadings = append([]string{}, c.Headings...)
		m.ConfidenceSummary.TotalEntries = c.Confidence.Entries
		m.ConfidenceSummary.AvgConfirmed = c.Confidence.Mean
		m.ConfidenceSummary.UnverifiedCount = c.Confidence.Unverified
		markers["last-compact.json"] = m
	}
	if p := projections.Pressure.In(f); p.Seq > 0 {
		level := p.Notified
		if level == "" {
			level = projections.LevelNone
		}
		markers["context-pressure.json"] = pressureMarker{p.UsedPercent, stamp(p.At), level}
	}
	if c := projections.CompoundLastRun.In(f); c.Seq > 0 {
		markers["compound-last-run.json"] = compoundMarker{stamp(c.At), c.Promoted}
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

func stamp(s projections.Stamp) string { return s.Time().Format(time.RFC3339) }
