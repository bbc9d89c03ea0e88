package projections_test

import (
	"testing"

	"journal/events"
	"journal/events/eventstest"
	"journal/projections"
)

// Where the client compacts by itself is learned from when it does: from a sample no more
// than three calls before, or from one that comes while it is at it, the least of all; not
// from a compaction that a person asked for. It is forgotten when far more is held (ADR-0026).
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
