package notes

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"time"

	"journal/events"
	"journal/events/text"
	"journal/journal/disk"
	"journal/journal/redact"
)

// PressureName is the file name of a Pressure; the names of the other markers are events.LastCompactMarker and
// events.CompoundMarker. This module writes a Pressure for other tools and never imports one: at the time of an import
// the session that it describes is over.
const PressureName = "context-pressure.json"

// Marker is the content of one marker file.
type Marker interface{ name() string }

// The contents of marker files, with the keys that other tools expect. Timestamps are in the form of RFC 3339, empty if unknown.

type (
	// LastCompact is the marker of a compaction.
	LastCompact struct {
		Timestamp         string            `json:"timestamp"`
		Trigger           string            `json:"trigger"` // manual or auto
		CompoundRun       bool              `json:"compoundRun"`
		ProgressSummary   ProgressSummary   `json:"progressSummary"`
		ConfidenceSummary ConfidenceSummary `json:"confidenceSummary"`
	}
	// ProgressSummary describes the entries of working notes that were not promoted.
	ProgressSummary struct {
		EntryCount     int      `json:"entryCount"`
		RecentHeadings []string `json:"recentHeadings"` // newest first; an import takes three
	}
	// ConfidenceSummary describes the learnings. AvgConfirmed is their mean number of confirmations.
	ConfidenceSummary struct {
		TotalEntries    int     `json:"totalEntries"`
		AvgConfirmed    float64 `json:"avgConfirmed"`
		UnverifiedCount int     `json:"unverifiedCount"`
	}
	// Pressure is the marker of the pressure on the context.
	Pressure struct {
		UsedPercentage    int    `json:"usedPercentage"`
		Timestamp         string `json:"timestamp"`
		LastNotifiedLevel string `json:"lastNotifiedLevel"`
	}
	// Compound is the marker of a compound.
	Compound struct {
		Timestamp     string `json:"timestamp"`
		PromotedCount int    `json:"promotedCount"`
	}
)

func (LastCompact) name() string { return events.LastCompactMarker }
func (Pressure) name() string    { return PressureName }
func (Compound) name() string    { return events.CompoundMarker }

// MarkersDir returns the directory of the markers of the project at root.
func MarkersDir(root string) string { return filepath.Join(root, ".claude", "context") }

// WriteMarker writes a marker into an existing directory and returns its path. If the stored marker has the
// same facts, its bytes stay: other bytes would look like another compound to the next hook, and like another
// marker to an import. A Pressure is always written, because this module does not read it.
func WriteMarker(dir string, m Marker) (path string, err error) {
	path = filepath.Join(dir, m.name())
	b, err := json.MarshalIndent(m, "", "  ")
	if err != nil || m.name() != PressureName && holdsMarker(path, b) {
		return path, err
	}
	return path, disk.ReplaceReadable(path, append(b, '\n'))
}

// holdsMarker reports whether the marker file at path has the facts of b, the content to be written.
func holdsMarker(path string, b []byte) bool {
	stored, err := ReadMarker(path)
	if err != nil {
		return false
	}
	next, err := parseMarker(filepath.Base(path), b)
	return err == nil && reflect.DeepEqual(markerFacts(stored), markerFacts(next))
}

// markerFacts returns a marker's facts for a comparison: as the log would store them, with the time to the second, and
// without the digest of the bytes.
func markerFacts(e events.MarkerImported) events.MarkerImported {
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

// WrapMarker returns the event of a marker, redacted. project is the key of its project. The id is derived
// from the marker's content, so that the same content is imported once.
func WrapMarker(m events.MarkerImported, project string) (events.Envelope, error) {
	return events.Wrap(events.MapText(m, redact.Text), events.Meta{
		ID: events.DerivedID("marker.imported", project, m.Marker, m.Digest),
		At: time.Now().UnixNano(), Session: events.None, Project: project, Rules: int(redact.RuleSet),
	})
}

// maxMarker bounds a marker file in bytes; real ones have less than one KiB.
const maxMarker = 64 << 10

// ReadMarker reads the marker file of a compaction or of a compound; its name decides which. It follows links. The
// error is fs.ErrNotExist if there is no file. Any other error describes the fault in one line.
func ReadMarker(path string) (events.MarkerImported, error) {
	b, err := disk.ReadFile(path, maxMarker)
	if errors.Is(err, disk.ErrTooLarge) {
		err = fmt.Errorf("over %d KiB", maxMarker>>10)
	}
	if pathErr := (*os.PathError)(nil); errors.As(err, &pathErr) {
		err = pathErr.Err // the caller adds the path
	}
	if err != nil {
		return events.MarkerImported{}, err
	}
	return parseMarker(filepath.Base(path), b)
}

// parseMarker parses the content of the marker file with a name. It ignores unknown keys. A marker without a known key is
// an error.
func parseMarker(name string, b []byte) (events.MarkerImported, error) {
	var keys map[string]json.RawMessage
	if err := shapeError(json.Unmarshal(b, &keys)); err != nil {
		return events.MarkerImported{}, err
	}
	parse, known := parseLastCompact, []string{"timestamp", "trigger", "compoundRun", "progressSummary", "confidenceSummary"}
	if name == events.CompoundMarker {
		parse, known = parseCompound, []string{"timestamp", "promotedCount"}
	}
	e, err := parse(b)
	if err != nil {
		return events.MarkerImported{}, err
	}
	if !slices.ContainsFunc(known, func(k string) bool { return len(keys[k]) > 0 && string(keys[k]) != "null" }) {
		return events.MarkerImported{}, errors.New("wrong shape: none of the marker's keys is there")
	}
	e.Marker, e.Digest = name, text.Digest(b)
	return e, nil
}

// parseCompound parses a Compound.
func parseCompound(b []byte) (events.MarkerImported, error) {
	var m Compound
	if err := shapeError(json.Unmarshal(b, &m)); err != nil {
		return events.MarkerImported{}, err
	}
	return events.MarkerImported{At: readableTime(m.Timestamp), Promoted: m.PromotedCount},
		notNegative("promotedCount", float64(m.PromotedCount))
}

// parseLastCompact parses a LastCompact.
func parseLastCompact(b []byte) (events.MarkerImported, error) {
	var m LastCompact
	if err := shapeError(json.Unmarshal(b, &m)); err != nil {
		return events.MarkerImported{}, err
	}
	notes, stock := m.ProgressSummary, m.ConfidenceSummary
	e := events.MarkerImported{
		At: readableTime(m.Timestamp), Trigger: m.Trigger, Compound: m.CompoundRun,
		Entries: notes.EntryCount, Headings: notes.RecentHeadings[:min(3, len(notes.RecentHeadings))],
		Learnings: stock.TotalEntries, Unverified: stock.UnverifiedCount,
	}
	if stock.AvgConfirmed != 0 {
		e.Mean = strconv.FormatFloat(stock.AvgConfirmed, 'f', -1, 64)
	}
	return e, cmp.Or(
		notNegative("entryCount", float64(notes.EntryCount)),
		notNegative("totalEntries", float64(stock.TotalEntries)),
		notNegative("avgConfirmed", stock.AvgConfirmed),
		notNegative("unverifiedCount", float64(stock.UnverifiedCount)))
}

// readableTime returns s if s is a time in the form of RFC 3339, else "".
func readableTime(s string) string {
	if _, err := time.Parse(time.RFC3339, s); err != nil {
		return ""
	}
	return s
}

// notNegative returns an error for the value of a key that is below 0.
func notNegative(key string, n float64) error {
	if n < 0 {
		return fmt.Errorf("wrong shape: %s is below 0", key)
	}
	return nil
}

// shapeError returns an error of json.Unmarshal in words for a person, nil for nil.
func shapeError(err error) error {
	if err == nil {
		return nil
	}
	switch typeErr := (*json.UnmarshalTypeError)(nil); {
	case !errors.As(err, &typeErr):
		return fmt.Errorf("not JSON: %w", err)
	case typeErr.Field == "":
		return fmt.Errorf("wrong shape: an object is needed, not %s", typeErr.Value)
	default:
		return fmt.Errorf("wrong shape: %s cannot be %s", typeErr.Field, typeErr.Value)
	}
}
