package events

import (
	"strings"
	"testing"

	"journal/events/text"
)

// TestMomentOf: a long finding is kept with its beginning and its end, within its bound.
func TestMomentOf(t *testing.T) {
	t.Parallel()
	long := "The lock is old. " + strings.Repeat("원인을 찾는 중입니다. ", 200) + "The cause is the reader."
	m := MomentOf("Done.", 0, "It is short.", long)
	if found := m.Findings[1]; m.Findings[0] != "It is short." || text.Units(found) > findingUnits ||
		!strings.HasPrefix(found, "The lock is old.") || !strings.HasSuffix(found, "The cause is the reader.") {
		t.Errorf("%d units: %q", text.Units(found), m.Findings)
	}
}
