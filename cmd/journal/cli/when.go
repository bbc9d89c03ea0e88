package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"journal/events/text"
)

// TimeForms names the forms of a time, as help and errors show them.
const TimeForms = `2h, 3d, 1w, today, yesterday, monday, 14:00, 2026-11-20, "2026-11-20 14:00", 2026-11-20T14:00:00Z`

const (
	// Day is 24 hours.
	Day = 24 * time.Hour
	// LongAgo is a century, the bound of ages and durations on the command line.
	LongAgo = 36525 * Day
)

// TimeSpan is the time from From up to, but excluding, To. From and To of an instant are equal.
type TimeSpan struct{ From, To time.Time }

// ParseTime parses a time in any of the TimeForms, in the location of now. A date or the name of a day is the whole day. The
// name of a weekday, and a time without a date, mean the last one that is not in the future. The error names the forms.
func ParseTime(s string, now time.Time) (TimeSpan, error) {
	words := strings.ToLower(strings.Join(strings.Fields(s), " "))
	for _, read := range []func(string, time.Time) (TimeSpan, bool){ageTime, namedTime, clockTime, dateTime} {
		if span, ok := read(words, now); ok {
			return span, nil
		}
	}
	return TimeSpan{}, fmt.Errorf("%q is not a valid time; use %s", s, TimeForms)
}

// DayOf returns the day of a time, in the time's location.
func DayOf(t time.Time) TimeSpan { return DayBefore(t, 0) }

// DayBefore returns the day that is a number of days before the day of a time, in the time's location.
func DayBefore(t time.Time, days int) TimeSpan {
	y, m, d := t.Date()
	return TimeSpan{midnight(y, m, d-days, t.Location()), midnight(y, m, d-days+1, t.Location())}
}

// midnight returns the beginning of a day. A day without 00:00 begins when its clocks were put forward.
func midnight(y int, m time.Month, d int, zone *time.Location) time.Time {
	t := time.Date(y, m, d, 0, 0, 0, 0, zone)
	if t.Hour() > 12 { // the day has no 00:00, and time.Date returned the last hour of the day before
		_, t = t.ZoneBounds()
	}
	return t
}

// instant returns the span of a point in time, for the parsers of ParseTime.
func instant(t time.Time) (TimeSpan, bool) { return TimeSpan{t, t}, true }

// daysOrWeeks matches an age in days or weeks.
var daysOrWeeks = text.Pattern(`^(\d{1,5})([dw])$`)

// ageTime parses an age: hours and less as time.ParseDuration does, days and weeks by the calendar.
func ageTime(s string, now time.Time) (TimeSpan, bool) {
	s = strings.ReplaceAll(strings.TrimSuffix(s, "ago"), " ", "")
	if d, err := time.ParseDuration(s); err == nil && d >= 0 && d <= LongAgo {
		return instant(now.Add(-d))
	}
	m := daysOrWeeks().FindStringSubmatch(s)
	if m == nil {
		return TimeSpan{}, false
	}
	days, _ := strconv.Atoi(m[1])
	if m[2] == "w" {
		days *= 7
	}
	t := now.AddDate(0, 0, -days)
	return TimeSpan{t, t}, days <= int(LongAgo/Day)
}

// namedTime parses now, today, yesterday and weekdays, which may be cut to three letters.
func namedTime(s string, now time.Time) (TimeSpan, bool) {
	switch s {
	case "now":
		return instant(now)
	case "today":
		return DayOf(now), true
	case "yesterday":
		return DayBefore(now, 1), true
	}
	for back := range 7 {
		day := DayBefore(now, back)
		if name := strings.ToLower(day.From.Weekday().String()); s == name || s == name[:3] {
			return day, true
		}
	}
	return TimeSpan{}, false
}

// clockTime parses a time of the day.
func clockTime(s string, now time.Time) (TimeSpan, bool) {
	t, err := time.Parse("15:04", s)
	if err != nil {
		t, err = time.Parse(time.TimeOnly, s)
	}
	y, m, d := now.Date()
	last := time.Date(y, m, d, t.Hour(), t.Minute(), t.Second(), 0, now.Location())
	if last.After(now) {
		last = time.Date(y, m, d-1, t.Hour(), t.Minute(), t.Second(), 0, now.Location())
	}
	return TimeSpan{last, last}, err == nil
}

// dateTime parses a date, with or without a time.
func dateTime(s string, now time.Time) (TimeSpan, bool) {
	s = strings.ToUpper(s)
	for _, layout := range []string{time.RFC3339Nano, time.DateTime, "2006-01-02 15:04", "2006-01-02T15:04:05", "2006-01-02T15:04"} {
		if t, err := time.ParseInLocation(layout, s, now.Location()); err == nil {
			return instant(t)
		}
	}
	t, err := time.Parse(time.DateOnly, s)
	y, m, d := t.Date()
	return TimeSpan{midnight(y, m, d, now.Location()), midnight(y, m, d+1, now.Location())}, err == nil
}
