package projections_test

import (
	"math"
	"testing"

	"journal/cmd/testkit/eventstest"
	"journal/events"
	"journal/projections"
)

func TestPercentOf(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		tokens, window int64
		want           int
	}{
		{0, 200_000, 0}, {1999, 200_000, 0}, {2000, 200_000, 1}, {120_000, 200_000, 60}, {149_800, 200_000, 74},
		{200_000, 200_000, 100}, {250_000, 200_000, 100}, {-1, 200_000, 0}, {1, 3, 33}, {2, 3, 66},
		{math.MinInt64, 200_000, 0},
	} {
		if got := projections.PercentOf(tc.tokens, tc.window); got != tc.want {
			t.Errorf("%d of %d tokens are %d %%, want %d", tc.tokens, tc.window, got, tc.want)
		}
	}
}

// TestPressureDue: each level is due once. It is due again after the usage fell, and at once after a compound; after
// further ones once the usage has risen by five points (S1.4, S1.8, ADR-0026 rule 4).
func TestPressureDue(t *testing.T) {
	t.Parallel()
	type step struct {
		say   events.Event
		level string
		about uint64
		due   bool
	}
	sample := func(percent int) events.Event { return events.UsageSampled{Percent: percent, Window: 100} }
	told := func(level string) events.Event { return events.NoticeGiven{Kind: "pressure", Level: level} }
	for name, steps := range map[string][]step{
		"once each": {
			{sample(59), "none", 0, false},
			{sample(60), "info", 0, true},
			{told("info"), "info", 0, false},
			{sample(74), "info", 0, false},
			{sample(75), "urgent", 0, true},
			{told("urgent"), "urgent", 0, false},
			{sample(99), "urgent", 0, false},
		},
		"straight to urgent": {
			{sample(90), "urgent", 0, true},
			{told("urgent"), "urgent", 0, false},
			{sample(70), "info", 0, false},
			{sample(80), "urgent", 0, true},
		},
		"after a compaction": {
			{sample(90), "urgent", 0, true},
			{told("urgent"), "urgent", 0, false},
			{events.ContextRestarted{}, "none", 0, false},
			{sample(61), "info", 0, true},
		},
		"after a compound": {
			{sample(62), "info", 0, true},
			{told("info"), "info", 0, false},
			{events.CompoundFinished{}, "info", 3, true},
			{events.NoticeGiven{Kind: "pressure", Level: "info", About: 3}, "info", 0, false},
			{sample(70), "info", 0, false},
		},
		"compounds until the usage rose by five points": {
			{sample(62), "info", 0, true},
			{told("info"), "info", 0, false},
			{events.CompoundFinished{}, "info", 3, true},
			{events.NoticeGiven{Kind: "pressure", Level: "info", About: 3}, "info", 0, false},
			{events.CompoundFinished{}, "info", 0, false},
			{sample(66), "info", 0, false},
			{sample(67), "info", 5, true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fold := projections.NewFold(target, projections.Config{}, projections.Pressure)
			for i, s := range steps {
				apply(t, fold, eventstest.Wrap(t, s.say, events.Meta{Project: "p", Session: "s", Seq: uint64(i + 1)}))
				level, about, due := projections.Pressure.In(fold).Due()
				if level != s.level || about != s.about || due != s.due {
					t.Errorf("after step %d, %T: %s about %d, due %t; want %s about %d, %t", i+1, s.say, level, about, due, s.level, s.about, s.due)
				}
			}
		})
	}
}

// TestThresholdsReadHistoryAnew: other thresholds reinterpret the same log (S1.4).
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

// TestAutoCompactionPoint: where the client compacts by itself is learned from its compactions: from a sample at most
// three calls before, or from one during it, the least of all; not from a compaction that a person asked for. It is
// forgotten when the context holds far more (ADR-0026).
func TestAutoCompactionPoint(t *testing.T) {
	t.Parallel()
	sample := func(tokens int64) events.Event {
		return events.UsageSampled{Percent: int(tokens), Tokens: tokens, Window: 100}
	}
	auto, manual := events.CompactionIntended{Trigger: "auto"}, events.CompactionIntended{Trigger: "manual"}
	work := events.CommandRan{Command: "make"}
	done := events.CompactionCompleted{Summary: "x"}
	for name, tc := range map[string]struct {
		log   []events.Event
		point int64
		level string
	}{
		"nothing told":              {[]events.Event{auto, done}, 0, ""},
		"a sample before":           {[]events.Event{sample(50), auto, done, sample(10)}, 50, "none"},
		"asked for":                 {[]events.Event{sample(50), manual, done}, 0, "none"},
		"three calls before":        {[]events.Event{sample(50), work, work, work, auto, done}, 50, "none"},
		"four calls before":         {[]events.Event{sample(50), work, work, work, work, auto, done}, 0, "none"},
		"a newer sample":            {[]events.Event{sample(50), work, work, work, sample(52), work, auto, done}, 52, "none"},
		"the least":                 {[]events.Event{sample(60), auto, done, sample(50), auto, done, sample(55), auto, done}, 50, "urgent"},
		"told meanwhile":            {[]events.Event{sample(40), auto, sample(45), done}, 45, "urgent"},
		"told meanwhile, after one": {[]events.Event{sample(40), auto, done, sample(43), auto, sample(45), done}, 40, "urgent"},
		"told after it":             {[]events.Event{sample(40), auto, done, sample(45)}, 40, "urgent"},
		"worked meanwhile":          {[]events.Event{sample(40), auto, work, sample(45)}, 40, "urgent"},
		"half as much again":        {[]events.Event{sample(40), auto, done, sample(60)}, 40, "urgent"},
		"more than that":            {[]events.Event{sample(40), auto, done, sample(61)}, 0, "info"},
		"near it":                   {[]events.Event{sample(40), auto, done, sample(25)}, 40, "info"},
		"far from it":               {[]events.Event{sample(40), auto, done, sample(20)}, 40, "none"},
	} {
		fold := projections.NewFold(target, projections.Config{}, projections.Pressure)
		for i, e := range tc.log {
			apply(t, fold, eventstest.Wrap(t, e, events.Meta{Project: "p", Session: "s", Seq: uint64(i + 1)}))
		}
		got := projections.Pressure.In(fold)
		if got.AutoAt != tc.point || got.Level != tc.level {
			t.Errorf("%s: at %d, level %s; want %d, %s", name, got.AutoAt, got.Level, tc.point, tc.level)
		}
	}
}
