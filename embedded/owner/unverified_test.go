package owner_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"journal/events"
	"journal/journal/wire"
)

// Learnings that nobody confirmed are mentioned where they are many (S1.9).
func TestS1_9ManyUnverified(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		unverified, confirmed int
		said                  bool
	}{{6, 1, true}, {4, 0, false}, {6, 7, false}} {
		h := newHome(t)
		stock := events.FileObserved{Path: "learnings.md", Kind: events.StockFile, Digest: "d"}
		for i := range tc.unverified + tc.confirmed {
			times := "0"
			if i >= tc.unverified {
				times = "3"
			}
			stock.Entries = append(stock.Entries, events.Entry{
				Heading: fmt.Sprint("learning ", i), Labels: []events.Label{{Name: "Confirmed", Value: times + " | 2026-03-01"}},
			})
		}
		notes := events.FileObserved{Path: "progress.md", Kind: events.FlowFile, Digest: "e", Entries: []events.Entry{{Heading: "one"}}}
		h.handle(report(t, about(0), stock, notes)...)
		e := report(t, about(time.Second), events.TurnEnded{Text: "done"})[0]
		got := h.asks(e, &wire.AnswerRequest{Kind: wire.StopAdvice, Event: e.ID, Last: e.ID, Lang: "en", Units: 9500, Vital: 1900}).Text
		if said := strings.Contains(got, fmt.Sprint(tc.unverified, " learnings were never confirmed")); said != tc.said || got == "" {
			t.Errorf("%+v: %q", tc, got)
		}
	}
}
