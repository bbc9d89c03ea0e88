package rebuild_test

import (
	"slices"
	"testing"
	"time"

	"journal/embedded/rebuild"
)

// Sessions over their age are removed, those of the last day never. From a store over its bound the oldest sessions are removed until a
// tenth of the bound is free (ADR-0052).
func TestOldSessions(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	all := []rebuild.OldSession{
		{"p", "year", ago(365 * day), 10, 1000}, {"p", "month", ago(30 * day), 10, 1000}, {"p", "week", ago(7 * day), 10, 1000},
		{"q", "day", ago(day), 10, 1000}, {"q", "today", ago(day - 1), 10, 1000}, {"q", "lasting", ago(365 * day), 0, 0},
	}
	for name, tc := range map[string]struct {
		r    rebuild.Retention
		size uint64
		want []string
	}{
		"age":                        {rebuild.Retention{Age: 30 * day}, 0, []string{"year"}},
		"a little less":              {rebuild.Retention{Age: 30*day - 1}, 0, []string{"month", "year"}},
		"an hour, but not of today":  {rebuild.Retention{Age: time.Hour}, 0, []string{"day", "month", "week", "year"}},
		"one project":                {rebuild.Retention{Age: time.Hour, Projects: map[string]time.Duration{"p": 0}}, 0, []string{"day"}},
		"as large as it may be":      {rebuild.Retention{Bytes: 10_000}, 10_000, nil},
		"a byte too large":           {rebuild.Retention{Bytes: 10_000}, 10_001, []string{"year"}},
		"twice as large":             {rebuild.Retention{Bytes: 10_000}, 20_000, []string{"month", "week", "year"}},
		"much too large":             {rebuild.Retention{Bytes: 1}, 20_000, []string{"day", "month", "week", "year"}},
		"what age removes is enough": {rebuild.Retention{Bytes: 10_000, Age: 100 * day}, 10_001, []string{"year"}},
		"no bound":                   {rebuild.Retention{}, 1 << 40, nil},
	} {
		if got := tc.r.Old(all, now, tc.size); !slices.Equal(got, tc.want) {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
	if got := (rebuild.Retention{Bytes: 1}).Old(nil, now, 100); got != nil {
		t.Errorf("of nothing: %v", got)
	}
}
