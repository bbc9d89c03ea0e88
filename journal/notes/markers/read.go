package markers

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"journal/events"
	"journal/journal/disk"
)

// maxMarker bounds a marker file in bytes; real ones have less than one KiB.
const maxMarker = 64 << 10

// Read reads the marker file that tells of the past at a path; its name says which it is. A link
// is followed. The error is fs.ErrNotExist when the file is not there; any other one says in one
// line what is wrong with it.
func Read(path string) (events.MarkerImported, error) {
	b, err := disk.ReadFile(path, maxMarker)
	if errors.Is(err, disk.ErrTooLarge) {
		err = fmt.Errorf("over %d KiB", maxMarker>>10)
	}
	if err != nil {
		return events.MarkerImported{}, reason(err)
	}
	return parse(filepath.Base(path), b)
}

// reason is an error of the file system without the path, which is said beside it.
func reason(err error) error {
	if at := (*os.PathError)(nil); errors.As(err, &at) {
		return at.Err
	}
	return err
}

// parse reads the bytes of a marker by its name. Keys that nobody knows are
// ignored; one of the known ones has to be there, else it is something else.
func parse(name string, b []byte) (events.MarkerImported, error) {
	var keys map[string]json.RawMessage
	if err := shapeError(json.Unmarshal(b, &keys)); err != nil {
		return events.MarkerImported{}, err
	}
	var e events.MarkerImported
	var err error
	if name == events.CompoundMarker {
		e, err = parseCompound(b)
	} else {
		e, err = parseLastCompact(b)
	}
	if err != nil {
		return events.MarkerImported{}, err
	}
	if !anyKey(keys, name) {
		return events.MarkerImported{}, errors.New("wrong shape: none of the marker's keys is there")
	}
	sum := sha256.Sum256(b)
	e.Marker, e.Digest = name, hex.EncodeToString(sum[:])
	return e, nil
}

func anyKey(keys map[string]json.RawMessage, name string) bool {
	known := []string{"timestamp", "trigger", "compoundRun", "progressSummary", "confidenceSummary"}
	if name == events.CompoundMarker {
		known = []string{"timestamp", "promotedCount"}
	}
	for _, k := range known {
		if v, ok := keys[k]; ok && !bytes.Equal(v, []byte("null")) {
			return true
		}
	}
	return false
}

func parseCompound(b []byte) (events.MarkerImported, error) {
	var m Compound
	if err := shapeError(json.Unmarshal(b, &m)); err != nil {
		return events.MarkerImported{}, err
	}
	return events.MarkerImported{At: readableTime(m.Timestamp), Promoted: m.PromotedCount},
		notNegative("promotedCount", float64(m.PromotedCount))
}

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

// readableTime is a time as it was written, empty when it cannot be read.
func readableTime(s string) string {
	if _, err := time.Parse(time.RFC3339, s); err != nil {
		return ""
	}
	return s
}

func notNegative(key string, n float64) error {
	if n < 0 {
		return fmt.Errorf("wrong shape: %s is below 0", key)
	}
	return nil
}

// shapeError tells a person why JSON is not a marker.
func shapeError(err error) error {
	if err == nil {
		return nil
	}
	switch ill := (*json.UnmarshalTypeError)(nil); {
	case !errors.As(err, &ill):
		return fmt.Errorf("not JSON: %w", err)
	case ill.Field == "":
		return fmt.Errorf("wrong shape: an object is needed, not %s", ill.Value)
	default:
		return fmt.Errorf("wrong shape: %s cannot be %s", ill.Field, ill.Value)
	}
}
