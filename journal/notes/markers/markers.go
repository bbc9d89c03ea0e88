// Package markers reads and writes the marker files of older tools: small JSON files in a
// project's .claude/context that say when its sessions were last compacted and compounded and how
// full the context is. Written, they are views of what the log says; read, they tell of the time
// before the log (S1.6, S1.15).
package markers

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"time"

	"journal/events"
	"journal/journal/disk"
	"journal/journal/redact"
)

// PressureName is the file name of a Pressure. Its kind is about a session that is over, so it is
// written and never read. The others are events.LastCompactMarker and events.CompoundMarker.
const PressureName = "context-pressure.json"

// Marker is the content of one marker file.
type Marker interface{ name() string }

// The marker files, with the keys that their readers know. Timestamps are RFC 3339, empty when
// they are not known.

type (
	// LastCompact is what a compaction leaves.
	LastCompact struct {
		Timestamp         string            `json:"timestamp"`
		Trigger           string            `json:"trigger"` // manual or auto
		CompoundRun       bool              `json:"compoundRun"`
		ProgressSummary   ProgressSummary   `json:"progressSummary"`
		ConfidenceSummary ConfidenceSummary `json:"confidenceSummary"`
	}
	// ProgressSummary is about the entries of working notes that were not promoted.
	ProgressSummary struct {
		EntryCount     int      `json:"entryCount"`
		RecentHeadings []string `json:"recentHeadings"` // newest first, at most three count
	}
	// ConfidenceSummary is about lasting knowledge.
	ConfidenceSummary struct {
		TotalEntries    int     `json:"totalEntries"`
		AvgConfirmed    float64 `json:"avgConfirmed"`
		UnverifiedCount int     `json:"unverifiedCount"`
	}
	// Pressure is what a context that fills up leaves.
	Pressure struct {
		UsedPercentage    int    `json:"usedPercentage"`
		Timestamp         string `json:"timestamp"`
		LastNotifiedLevel string `json:"lastNotifiedLevel"`
	}
	// Compound is what a run of compound leaves.
	Compound struct {
		Timestamp     string `json:"timestamp"`
		PromotedCount int    `json:"promotedCount"`
	}
)

func (LastCompact) name() string { return events.LastCompactMarker }
func (Pressure) name() string    { return PressureName }
func (Compound) name() string    { return events.CompoundMarker }

// Dir is where the markers of the project at root are.
func Dir(root string) string { return filepath.Join(root, ".claude", "context") }

// Write writes a marker into a directory, which is there, and gives its path. A file that says the
// same in its own spelling is left alone: other bytes would look like another compound to the next
// hook, and like another marker to an import. The pressure is written in any case; nothing reads
// it back.
func Write(dir string, m Marker) (path string, err error) {
	path = filepath.Join(dir, m.name())
	b, err := json.MarshalIndent(m, "", "  ")
	if err != nil || m.name() != PressureName && says(path, b) {
		return path, err
	}
	return path, disk.Replace(path, append(b, '\n'), 0o644)
}

// says tells whether a marker file says the same as the bytes to be written.
func says(path string, b []byte) bool {
	there, err := Read(path)
	if err != nil {
		return false
	}
	mine, err := parse(filepath.Base(path), b)
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

// Wrap makes the event of a marker that was read for a project's key, redacted. The id follows from
// the marker's content, so that the same content is imported once.
func Wrap(m events.MarkerImported, project string) (events.Envelope, error) {
	return events.Wrap(events.MapText(m, redact.Text), events.Meta{
		ID: events.DerivedID("marker.imported", project, m.Marker, m.Digest),
		At: time.Now().UnixNano(), Session: events.None, Project: project, Rules: int(redact.RuleSet),
	})
}
