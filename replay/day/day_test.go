package day_test

import (
	"testing"
	"time"

	"journal/cmd/testkit/eventstest"
	"journal/events"
	"journal/projections"
	_ "journal/projections/all"
	"journal/replay"
	"journal/replay/day"
)

// TestRewoundCompaction: a compaction that the person took back is counted on no day, also if that was on a later day.
func TestRewoundCompaction(t *testing.T) {
	t.Parallel()
	compact, back := events.CompactionCompleted{Summary: "s"}, func(seq uint64) events.Event { return events.ConversationRewound{First: seq, Last: seq} }
	for name, tc := range map[string]struct {
		before, within []events.Event
		want           int
	}{
		"of the day before": {[]events.Event{events.PromptSubmitted{Text: "a"}, compact}, []events.Event{back(2), events.PromptSubmitted{Text: "b"}}, 0},
		"of this day":       {nil, []events.Event{compact, back(1), events.PromptSubmitted{Text: "b"}}, 0},
		"then one that stays": {[]events.Event{compact}, []events.Event{
			back(1), events.PromptSubmitted{Text: "b"}, events.FileRead{Path: "/f"}, compact,
		}, 1},
	} {
		var log replay.Slice
		for i, e := range append(tc.before, tc.within...) {
			at := int64(i + 1)
			if i >= len(tc.before) {
				at += int64(time.Hour)
			}
			log = append(log, eventstest.Wrap(t, e, events.Meta{Project: "p", Session: "s", Seq: uint64(i + 1), At: at}))
		}
		s, ok, err := day.Of(t.Context(), log, projections.Target{Project: "p", Session: "s"}, time.Unix(0, int64(time.Hour)), time.Unix(0, int64(2*time.Hour)))
		if err != nil || !ok || s.Compactions != tc.want {
			t.Errorf("%s: %d compactions, %t, %v", name, s.Compactions, ok, err)
		}
	}
}

// TestOfferedAtFirst: the items of a recovery text count also if nothing else of the span came before it.
func TestOfferedAtFirst(t *testing.T) {
	t.Parallel()
	var log replay.Slice
	for i, e := range []events.Event{events.RecoveryGiven{Items: []string{"note-1", "note-2"}}, events.PromptSubmitted{Text: "go on"}} {
		log = append(log, eventstest.Wrap(t, e, events.Meta{Project: "p", Session: "s", Seq: uint64(i + 1), At: int64(i + 1)}))
	}
	s, ok, err := day.Of(t.Context(), log, projections.Target{Project: "p", Session: "s"}, time.Unix(0, 0), time.Unix(1, 0))
	if err != nil || !ok || s.Offered != 2 {
		t.Errorf("%d items were offered, %t, %v", s.Offered, ok, err)
	}
}
