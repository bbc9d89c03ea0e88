package projections_test

import (
	"fmt"
	"testing"

	"journal/events"
	"journal/events/eventstest"
	"journal/projections"
)

// BenchmarkDecisions folds more and more decisions, each of them new: the time for
// one must not depend on how many came before.
func BenchmarkDecisions(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		log := make([]events.Envelope, n)
		for i := range log {
			log[i] = eventstest.Wrap(b, events.DecisionRecorded{Text: fmt.Sprintf("decision %d", i)}, events.Meta{Project: "p", Session: "s", Seq: uint64(i + 1)})
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				apply(b, projections.NewFold(target, projections.Config{}, projections.Decisions), log...)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/event")
		})
	}
}
