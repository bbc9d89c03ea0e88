package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

const (
	// Day is how long a day is.
	Day = 24 * time.Hour
	// LongAgo bounds how long ago anything is: a century.
	LongAgo = 36525 * Day
)

// momentAt reads a point in time: as --at takes it, or how long before now, as "90m",
// "2 h", "3d" and "1w".
func momentAt(s string, now time.Time) (time.Time, error) {
	age := strings.TrimSuffix(strings.ReplaceAll(s, " ", ""), "ago")
	if d, err := time.ParseDuration(age); err == nil && d >= 0 && d <= LongAgo {
		return now.Add(-d), nil
	}
	for unit, days := range map[string]int{"d": 1, "w": 7} {
		if n, err := strconv.Atoi(strings.TrimSuffix(age, unit)); err == nil && strings.HasSuffix(age, unit) && n >= 0 && n <= int(LongAgo/Day)/days {
			return now.AddDate(0, 0, -n*days), nil
		}
	}
	at, err := ParseTime(s)
	if err != nil {
		return at, fmt.Errorf("%w, or how long ago: 90m, 2h, 3d", err)
	}
	return at, nil
}

// Ordinal is a flag's number that counts from 1, as sequences and compactions do. Zero is
// that nobody gave it.
type Ordinal uint64

// String gives the number as a flag shows it.
func (o *Ordinal) String() string {
	if *o == 0 {
		return ""
	}
	return strconv.FormatUint(uint64(*o), 10)
}

// Type names the values of the flag.
func (o *Ordinal) Type() string { return "number" }

// Set takes a number, also as #42.
func (o *Ordinal) Set(s string) error {
	n, err := strconv.ParseUint(strings.TrimPrefix(s, "#"), 10, 64)
	if err != nil || n == 0 || n > maxOrdinal {
		return fmt.Errorf("%q is no number from 1 to %d", s, uint64(maxOrdinal))
	}
	*o = Ordinal(n)
	return nil
}

// OrList gives "a", "a or b", "a, b or c".
func OrList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// Moment is a flag's point in time: a date, a time, or how long ago.
type Moment struct{ time.Time }

// String gives the time as a flag shows it.
func (m *Moment) String() string {
	if m.IsZero() {
		return ""
	}
	return m.Local().Format(time.DateTime)
}

// Type names the values of the flag.
func (m *Moment) Type() string { return "time" }

// Set takes a date, a time, or how long ago.
func (m *Moment) Set(s string) (err error) {
	m.Time, err = momentAt(s, time.Now())
	return err
}

// ParseTime reads a point in time: RFC 3339, or a local date, with or without a time.
func ParseTime(s string) (time.Time, error) {
	if t, err := time.Parse(time.RFC3339Nano, s); err == nil {
		return t, nil
	}
	for _, layout := range []string{time.DateTime, "2006-01-02 15:04", time.DateOnly} {
		if t, err := time.ParseInLocation(layout, s, time.Local); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is no time (2026-03-01T14:00:00Z, or \"2026-03-01 14:00\" local)", s)
}

// IdleAfter is the age from which what is at work counts as idle: a running port, and a
// session (S0.10). Neither ends by it.
const IdleAfter = 24 * time.Hour
