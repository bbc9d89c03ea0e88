package look

import (
	"testing"
	"time"

	"journal/cmd/journal/cli"
)

// Only a whole day has its date as heading; a time since a midnight, shown in the hour after another midnight, has both.
func TestHeadingOfADay(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 24, 0, 20, 0, 0, time.UTC)
	for given, want := range map[string]string{
		"yesterday":        "Monday, 23 November 2026",
		"today":            "Tuesday, 24 November 2026",
		"2026-11-20T00:00": "from 2026-11-20 00:00:00 to 2026-11-24 00:20:00",
		"2026-11-23T00:00": "from 2026-11-23 00:00:00 to 2026-11-24 00:20:00",
	} {
		span, err := cli.ParseTime(given, now)
		if err != nil {
			t.Fatal(err)
		}
		if span.To.Equal(span.From) {
			span.To = now
		}
		if got := (dayDoc{span: span}).heading(); got != want {
			t.Errorf("journal day %s is headed %q, want %q", given, got, want)
		}
	}
}
