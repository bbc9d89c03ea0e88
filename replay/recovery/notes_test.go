package recovery

import (
	"slices"
	"strings"
	"testing"

	"journal/events/text"
	"journal/projections"
)

// TestFilesOf: files are named once each, on one line, within their length and number, and
// none of which all is gone.
func TestFilesOf(t *testing.T) {
	t.Parallel()
	var c projections.LastCompactState
	for _, name := range []string{"notes.md", "notes.md", "two\nlines.md", strings.Repeat("long", 99), "", "gone.md"} {
		e := projections.FlowEntry{File: name}
		if name == "gone.md" {
			e.DroppedSeq = 7
		}
		c.Flow.Entries = append(c.Flow.Entries, e)
	}
	for _, name := range []string{"a.md", "deleted.md", "b.md", "c.md", "d.md"} {
		l := projections.Learning{File: name}
		if name == "deleted.md" {
			l.DeletedSeq = 9
		}
		c.Stock.Learnings = append(c.Stock.Learnings, l)
	}
	got := filesOf(c)
	want := []string{"notes.md", "two lines.md", text.CutUnits(strings.Repeat("long", 99), 120), "a.md", "b.md", "c.md"}
	if !slices.Equal(got, want) || len(want) != maxNoteFiles {
		t.Errorf("%q, want %q", got, want)
	}
}
