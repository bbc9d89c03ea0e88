package projections_test

import (
	"math"
	"testing"

	"journal/events"
	"journal/events/eventstest"
	"journal/projections"
)

func TestPercentOf(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		tokens, window int64
		want           int
	}{
		{0, 200_000, 0}, {999, 200_000, 0}, {1000, 200_000, 1}, {119_000, 200_000, 60}, {118_999, 200_000, 59},
		{200_000, 200_000, 100}, {250_000, 200_000, 100}, {-1, 200_000, 0}, {1, 3, 33}, {2, 3, 67},
		{math.MinInt64, 200_000, 0},
	} {
		if got := projections.PercentOf(tc.tokens, tc.window); got != tc.want {
			t.Errorf("%d of %d tokens are %d %%, want %d", tc.tokens, tc.window, got, tc.want)
		}
	}
}

// Each level is told once; it is told again after usage fell, and after a
// compound once there is something new to promote or usage rose by five points
// (S1.4, ADR-0026 rule 4).
func TestPressureDue(t *testing.T) {
	t.Parallel()
	type step struct {
		say   events.Event
		entry uint64 // newest working note that was not promoted
		level string
		about uint64
		due   bool
	}
	sample := func(percent int) events.Event { return events.UsageSampled{Percent: percent, Window: 100} }
	told := func(level string) events.Event { return events.NoticeGiven{Kind: "pressure", Level: level} }
	for name, steps := range map[string][]step{
		"once each": {
			{sample(59), 0, "none", 0, false},
			{sample(60), 0, "info", 0, true},
			{told("info"), 0, "info", 0, false},
			{sample(74), 0, "info", 0, false},
			{sample(75), 0, "urgent", 0, true},
			{told("urgent"), 0, "urgent", 0, false},
			{sample(99), 0, "urgent", 0, false},
		},
		"straight to urgent": {
			{sample(90), 0, "urgent", 0, true},
			{told("urgent"), 0, "urgent", 0, false},
			{sample(70), 0, "info", 0, false},
			{sample(80), 0, "urgent", 0, true},
		},
		"after a compaction": {
			{sample(90), 0, "urgent", 0, true},
			{told("urgent"), 0, "urgent", 0, false},
			{events.ContextRestarted{}, 0, "none", 0, false},
			{sample(61), 0, "info", 0, true},
		},
		"after a compound, usage as it was": {
			{sample(70), 0, "info", 0, true},
			{told("info"), 0, "info", 0, false},
			{events.CompoundFinished{}, 2, "info", 0, false},
			{sample(74), 3, "info", 0, false},
		},
		"after a compound, a new note": {
			{sample(70), 0, "info", 0, true},
			{told("info"), 0, "info", 0, false},
			{events.CompoundFinished{}, 3, "info", 0, false},
			{sample(71), 4, "info", 3, true},
			{told("info"), 4, "info", 0, false},
			{sample(72), 5, "info", 0, false},
		},
		"after a compound, five points more": {
			{sample(62), 0, "info", 0, true},
			{told("info"), 0, "info", 0, false},
			{events.CompoundFinished{}, 0, "info", 0, false},
			{sample(66), 0, "info", 0, false},
			{sample(67), 0, "info", 3, true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fold := projections.NewFold(target, projections.Config{}, projections.Pressure)
			for i, s := range steps {
				apply(t, fold, eventstest.Wrap(t, s.say, events.Meta{Project: "p", Session: "s", Seq: uint64(i + 1)}))
				level, about, due := projections.Pressure.In(fold).Due(s.entry)
				if level != s.level || about != s.about || due != s.due {
					t.Errorf("after step %d, %T: %s about %d, due %t; want %s about %d, %t", i+1, s.say, level, about, due, s.level, s.about, s.due)
				}
			}
		})
	}
}

// Other thresholds re-read the same log (S1.4).
func TestThresholdsReadHistoryAnew(t *testing.T) {
	t.Parallel()
	level := func(c projections.Config) string {
		fold := projections.NewFold(target, c, projections.Pressure)
		apply(t, fold, eventstest.Wrap(t, events.UsageSampled{Percent: 50, Window: 100}, events.Meta{Project: "p", Session: "s", Seq: 1}))
		return projections.Pressure.In(fold).Level
	}
	for _, tc := range []struct {
		of   projections.Thresholds
		want string
	}{
		{projections.Thresholds{}, "none"},
		{projections.Thresholds{Info: 50}, "info"},
		{projections.Thresholds{Info: 51}, "none"},
		{projections.Thresholds{Urgent: 50}, "urgent"},
		{projections.Thresholds{Info: 90, Urgent: 50}, "urgent"},
	} {
		if got := level(projections.Config{Pressure: tc.of}); got != tc.want {
			t.Errorf("%+v: 50 %% is %s, want %s", tc.of, got, tc.want)
		}
	}
}
