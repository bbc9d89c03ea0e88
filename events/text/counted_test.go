package text_test

import (
	"testing"

	"journal/events/text"
)

func TestCounted(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{
		"0 events": text.Counted(0, "event"), "1 event": text.Counted(1, "event"), "2 events": text.Counted(uint64(2), "event"),
		"1 entry": text.Counted(1, "entry"), "0 entries": text.Counted(0, "entry"), "1 is": text.Counted(1, "is", "are"), "0 are": text.Counted(0, "is", "are"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
