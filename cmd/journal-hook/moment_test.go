//go:build linux || darwin

package main

import (
	"testing"
	"time"
)

func TestMoment(t *testing.T) {
	t.Parallel()
	for _, want := range []string{
		"1970-01-01T00:00:00Z", "1999-12-31T23:59:59Z", "2000-02-29T12:00:00Z", "2000-03-01T00:00:00Z", "2026-11-02T03:04:05Z",
		"2027-02-28T00:00:00Z", "2028-02-29T09:10:11Z", "2100-03-01T00:00:00Z",
	} {
		at, err := time.Parse(time.RFC3339, want)
		if err != nil {
			t.Fatal(err)
		}
		if got := timestamp(at.UnixNano() + 1); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
