package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

const (
	day = 24 * time.Hour
	// longAgo bounds how long ago anything is: a century.
	longAgo = 36525 * day
)

// momentAt reads a point in time: as --at takes it, or how long before now, as "90m",
// "2 h", "3d" and "1w".
func momentAt(s string, now time.Time) (time.Time, error) {
	age := strings.TrimSuffix(strings.ReplaceAll(s, " ", ""), "ago")
	if d, err := time.ParseDuration(age); err == nil && d >= 0 && d <= longAgo {
		return now.Add(-d), nil
	}
	for unit, days := range map[string]int{"d": 1, "w": 7} {
		if n, err := strconv.Atoi(strings.TrimSuffix(age, unit)); err == nil && strings.HasSuffix(age, unit) && n >= 0 && n <= int(longAgo/day)/days {
			return now.AddDate(0, 0, -n*days), nil
		}
	}
	at, err := parseTime(s)
	if err != nil {
		return at, fmt.Errorf("%w, or how long ago: 90m, 2h, 3d", err)
	}
	return at, nil
}

// orList gives "a", "a or b", "a, b or c".
func orList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
