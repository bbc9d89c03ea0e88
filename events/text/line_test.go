package text_test

import (
	"testing"

	"journal/events/text"
)

// TestLineOfALine: Line does not allocate for a text that is on one line already, as most are.
func TestLineOfALine(t *testing.T) {
	for _, s := range []string{"", "a", "on one line", "é ö"} {
		if n := testing.AllocsPerRun(10, func() { text.Line(s) }); n != 0 {
			t.Errorf("%q: %v allocations", s, n)
		}
	}
}

func TestTrimmed(t *testing.T) {
	t.Parallel()
	if got, want := text.Trimmed(" \r\na\r\nb\rc\n\r "), "a\nb\nc"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
