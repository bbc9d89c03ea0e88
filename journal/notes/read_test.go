package notes

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"journal/events"
)

// markerFile writes a marker and reads it as an import does.
func markerFile(t *testing.T, name, content string) (events.MarkerImported, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return ReadMarker(path)
}

// S1.15: what a marker tells is taken as it is written; keys that nobody knows, and
// a time that nobody can read, are not.
func TestS1_15MarkersRead(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]events.MarkerImported{
		`compound-last-run.json {"timestamp":"2026-03-04T05:06:07.5+09:00","promotedCount":3}`: {At: "2026-03-04T05:06:07.5+09:00", Promoted: 3},
		`compound-last-run.json {"timestamp":"yesterday","promotedCount":0,"by":{"who":1}}`:    {},
		`compound-last-run.json {"timestamp":null,"promotedCount":1}`:                          {Promoted: 1},
		`last-compact.json {"trigger":"manual"}`:                                               {Trigger: "manual"},
		`last-compact.json {"compoundRun":false}`:                                              {},
		`last-compact.json {"progressSummary":{"entryCount":5,"recentHeadings":["a","b","c","d"]}}`: {
			Entries: 5, Headings: []string{"a", "b", "c"},
		},
		`last-compact.json {"compoundRun":true,"confidenceSummary":{"totalEntries":4,"avgConfirmed":1.50,"unverifiedCount":2}}`: {
			Compound: true, Learnings: 4, Mean: "1.5", Unverified: 2,
		},
	} {
		name, content, _ := strings.Cut(in, " ")
		got, err := markerFile(t, name, content)
		if len(got.Digest) != 64 {
			t.Errorf("%s: digest %q", in, got.Digest)
		}
		want.Marker, got.Digest = name, ""
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: error %v (-want +got):\n%s", in, err, diff)
		}
	}
}

// S1.15: a file that is not a marker is refused with the reason, in one line.
func TestS1_15MarkersRefused(t *testing.T) {
	t.Parallel()
	large := `{"promotedCount":1}` + strings.Repeat(" ", maxMarker)
	for in, says := range map[string]string{
		`compound-last-run.json `:                                        "not JSON",
		`compound-last-run.json {"promotedCount":1} {}`:                  "not JSON",
		`compound-last-run.json []`:                                      "an object is needed, not array",
		`compound-last-run.json "text"`:                                  "an object is needed, not string",
		`compound-last-run.json null`:                                    "none of the marker's keys",
		`compound-last-run.json {"hello":1}`:                             "none of the marker's keys",
		`compound-last-run.json {"trigger":"auto"}`:                      "none of the marker's keys",
		`compound-last-run.json {"promotedCount":"3"}`:                   "promotedCount cannot be string",
		`compound-last-run.json {"promotedCount":1.5}`:                   "promotedCount cannot be number 1.5",
		`compound-last-run.json {"promotedCount":-1}`:                    "promotedCount is below 0",
		`compound-last-run.json {"timestamp":17}`:                        "timestamp cannot be number",
		`compound-last-run.json ` + large:                                "over 64 KiB",
		`last-compact.json {"progressSummary":[]}`:                       "progressSummary cannot be array",
		`last-compact.json {"confidenceSummary":{"avgConfirmed":1e999}}`: "avgConfirmed cannot be number 1e999",
		`last-compact.json {"progressSummary":{"entryCount":-2},"confidenceSummary":{"totalEntries":-1}}`: "entryCount is below 0",
		`last-compact.json {"progressSummary":{"recentHeadings":"one"}}`:                                  "recentHeadings cannot be string",
	} {
		name, content, _ := strings.Cut(in, " ")
		_, err := markerFile(t, name, content)
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.80s: error %v, want one line with %q", in, err, says)
		}
	}
}

// A file of exactly the largest size is read, and a folder is no file.
func TestS1_15MarkersBounds(t *testing.T) {
	t.Parallel()
	head := `{"promotedCount":1}`
	if _, err := markerFile(t, events.CompoundMarker, head+strings.Repeat(" ", maxMarker-len(head))); err != nil {
		t.Errorf("a marker of 64 KiB: %v", err)
	}
	dir := filepath.Join(t.TempDir(), events.CompoundMarker)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadMarker(dir); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder: %v", err)
	}
	if _, err := ReadMarker(filepath.Join(dir, events.CompoundMarker)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}
