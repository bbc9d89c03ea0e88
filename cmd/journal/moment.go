package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// momentAt reads a point in time: as --at takes it, or how long before now, as "90m",
// "2 h", "3d" and "1w".
func momentAt(s string, now time.Time) (time.Time, error) {
	age := strings.TrimSuffix(strings.ReplaceAll(s, " ", ""), "ago")
	if d, err := time.ParseDuration(age); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	for unit, days := range map[string]int{"d": 1, "w": 7} {
		if n, err := strconv.Atoi(strings.TrimSuffix(age, unit)); err == nil && strings.HasSuffix(age, unit) && n >= 0 {
			return now.AddDate(0, 0, -n*days), nil
		}
	}
	at, err := parseTime(s)
	if err != nil {
		return at, fmt.Errorf("%w, or how long ago: 90m, 2h, 3d", err)
	}
	return at, nil
}

// ordinal is a flag's number that counts from 1, as sequences and compactions do. Zero is
// that nobody gave it.
type ordinal uint64

func (o *ordinal) String() string {
	if *o == 0 {
		return ""
	}
	return strconv.FormatUint(uint64(*o), 10)
}

func (o *ordinal) Type() string { return "number" }

func (o *ordinal) Set(s string) error {
	n, err := strconv.ParseUint(strings.TrimPrefix(s, "#"), 10, 64)
	if err != nil || n == 0 {
		return errors.New("a number from 1 is needed")
	}
	*o = ordinal(n)
	return nil
}

// orList gives "a", "a or b", "a, b or c".
func orList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
