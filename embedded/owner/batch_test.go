package owner_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"journal/events"
)

// A request of many reports gives each event the place and the mark that it would
// get if the reports came one by one, and the same places when it comes again
// (ADR-0002).
func TestBulk(t *testing.T) {
	t.Parallel()
	single, many := newHome(t), newHome(t)
	session := 0
	rapid.Check(t, func(rt *rapid.T) {
		session++
		var reports [][]events.Envelope
		for range rapid.IntRange(20, 40).Draw(rt, "reports") {
			m := about(time.Duration(rapid.IntRange(0, 5).Draw(rt, "seconds")) * time.Second)
			m.Session = numbered(session)
			m.Key = rapid.SampledFrom([]string{"", tool, payload, "p1", "tother"}).Draw(rt, "key")
			m.Lane = rapid.SampledFrom([]string{"", "helper"}).Draw(rt, "lane")
			said := []events.Event{events.TurnEnded{Text: "a"}, events.UsageSampled{Tokens: 5}, events.SessionEnded{}}
			reports = append(reports, report(t, m, said[:rapid.IntRange(1, 3).Draw(rt, "events")]...))
		}
		var all []events.Envelope
		for _, r := range reports {
			single.handle(r...)
			all = append(all, r...)
		}
		places := many.handle(all...)
		marks := func(h *home) (marks []uint64) {
			for _, e := range h.log(events.Selector{Session: numbered(session)}) {
				marks = append(marks, e.Seq, e.EchoOf)
			}
			return marks
		}
		if diff := cmp.Diff(marks(single), marks(many)); diff != "" {
			rt.Fatalf("places and marks (-one by one +at once):\n%s", diff)
		}
		if diff := cmp.Diff(places, many.handle(all...)); diff != "" {
			rt.Fatalf("places of the second time:\n%s", diff)
		}
	})
}
