package cli_test

import (
	"strings"
	"testing"
	"time"

	"journal/cmd/journal/cli"
)

// A Wednesday afternoon in Berlin, three days after its clocks were put back.
var (
	berlin = time.FixedZone("CET", 3600)
	now    = time.Date(2026, 10, 28, 15, 30, 0, 0, berlin)
)

func TestParse(t *testing.T) {
	t.Parallel()
	const day = "2006-01-02 15:04:05"
	for s, want := range map[string][2]string{ // a single end is an instant
		"0s":                   {"2026-10-28 15:30:00"},
		"now":                  {"2026-10-28 15:30:00"},
		"90m":                  {"2026-10-28 14:00:00"},
		"2 h":                  {"2026-10-28 13:30:00"},
		"2h30m ago":            {"2026-10-28 13:00:00"},
		"3d":                   {"2026-10-25 15:30:00"},
		"1w":                   {"2026-10-21 15:30:00"},
		"36525d":               {"1926-10-28 15:30:00"},
		"today":                {"2026-10-28 00:00:00", "2026-10-29 00:00:00"},
		"Yesterday":            {"2026-10-27 00:00:00", "2026-10-28 00:00:00"},
		"wednesday":            {"2026-10-28 00:00:00", "2026-10-29 00:00:00"},
		"thu":                  {"2026-10-22 00:00:00", "2026-10-23 00:00:00"},
		"Monday":               {"2026-10-26 00:00:00", "2026-10-27 00:00:00"},
		"14:00":                {"2026-10-28 14:00:00"},
		"15:30":                {"2026-10-28 15:30:00"},
		"15:31":                {"2026-10-27 15:31:00"},
		"09:05:07":             {"2026-10-28 09:05:07"},
		"2026-03-01":           {"2026-03-01 00:00:00", "2026-03-02 00:00:00"},
		"2026-03-01 14:00":     {"2026-03-01 14:00:00"},
		"2026-03-01 14:00:01":  {"2026-03-01 14:00:01"},
		"2026-03-01T14:00":     {"2026-03-01 14:00:00"},
		"2026-03-01T14:00:00Z": {"2026-03-01 15:00:00"},
		"2026-03-01t14:00:00z": {"2026-03-01 15:00:00"},
	} {
		got, err := cli.ParseTime(s, now)
		if want[1] == "" {
			want[1] = want[0]
		}
		if from, to := got.From.In(berlin).Format(day), got.To.In(berlin).Format(day); err != nil || from != want[0] || to != want[1] {
			t.Errorf("Parse(%q) = %s to %s, %v; want %s to %s", s, from, to, err, want[0], want[1])
		}
	}
}

// What is no time is answered with the forms of one.
func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", " ", "x", "-5h", "36526d", "5218w", "876601h", "99999999999d", "d", "3", "25:00", "14:60", "2026-13-01", "2026-02-30", "mondays", "mo", "tomorrow", "1e3h", "2026-03-01 14:00 UTC"} {
		if got, err := cli.ParseTime(s, now); err == nil || !strings.Contains(err.Error(), cli.TimeForms) {
			t.Errorf("Parse(%q) = %v, %v", s, got, err)
		}
	}
}

// A day of 25 hours is one day: its end is the beginning of the next.
func TestLongDay(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("no time zones on this machine:", err)
	}
	got, err := cli.ParseTime("sunday", time.Date(2026, 10, 28, 15, 30, 0, 0, zone))
	if long := got.To.Sub(got.From); err != nil || long != 25*time.Hour || got.From.Day() != 25 {
		t.Errorf("the day from %v is %v long, %v", got.From, long, err)
	}
}

// A day whose clocks go from 00:00 to 01:00 begins then, and the day before ends then, west of Greenwich and east of it.
func TestDayWithoutMidnight(t *testing.T) {
	t.Parallel()
	for name, date := range map[string]string{"America/Santiago": "2026-09-06", "Atlantic/Azores": "2026-03-29", "Africa/Cairo": "2026-04-24"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Skip("no time zones on this machine:", err)
		}
		got, err := cli.ParseTime(date, time.Date(2026, 10, 28, 15, 30, 0, 0, zone))
		if begin := got.From.Format("2006-01-02 15:04"); err != nil || begin != date+" 01:00" || got.To.Sub(got.From) != 23*time.Hour {
			t.Errorf("%s in %s begins at %s and is %v long, %v", date, name, begin, got.To.Sub(got.From), err)
		}
		if before := cli.DayOf(got.From.Add(-time.Second)); !before.To.Equal(got.From) || before.To.Sub(before.From) != 24*time.Hour {
			t.Errorf("the day before %s in %s is from %v to %v", date, name, before.From, before.To)
		}
	}
}
