package main

import (
	"testing"
	"time"
)

// A session that has not ended and was idle for a day is shown as a zombie (S0.10).
func TestZombies(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for _, c := range []struct {
		ended bool
		idle  time.Duration
		want  string
	}{
		{false, time.Hour, ""}, {false, 25 * time.Hour, "zombie"}, {true, 25 * time.Hour, "ended"},
	} {
		last := now.Add(-c.idle)
		d := sessionDoc{Ended: c.ended, Zombie: zombie(c.ended, last, now)}
		if got := d.state(); got != c.want {
			t.Errorf("idle for %v, ended %t: %q, want %q", c.idle, c.ended, got, c.want)
		}
	}
}
