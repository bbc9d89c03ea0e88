package journal_test

import (
	"testing"

	"journal/events"
)

// BenchmarkEvents reads 100,000 events back and decodes them.
func BenchmarkEvents(b *testing.B) {
	const n = 100_000
	l, js := damaged(b)
	burst(b, l, js, n, func(i int) events.Meta {
		return events.Meta{At: int64(i), Agent: "claude", Project: "p", Session: "s", Rules: 1}
	})
	for name, sel := range map[string][]events.Selector{
		"whole": nil, "session": {{Project: "p", Session: "s"}}, "merged": {{Session: "s"}, {Project: "p"}},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				got := 0
				for _, err := range l.Events(b.Context(), events.Span{}, sel...) {
					if err != nil {
						b.Fatal(err)
					}
					got++
				}
				if got != n {
					b.Fatalf("%d events", got)
				}
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
		})
	}
}
