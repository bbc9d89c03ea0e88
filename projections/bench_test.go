package projections_test

import (
	"fmt"
	"testing"

	"journal/cmd/testkit/eventstest"
	"journal/events"
	"journal/projections"
)

// session returns n events of a realistic working session: mostly commands and files, a compaction every thousand.
func session(tb testing.TB, n int) []events.Envelope {
	tb.Helper()
	log := make([]events.Envelope, n)
	for i := range log {
		var e events.Event
		switch {
		case i%1000 == 999:
			e = events.ContextRestarted{}
		case i%40 == 0:
			e = events.PromptSubmitted{Text: fmt.Sprintf("prompt %d", i)}
		case i%40 == 1:
			e = events.TodosWritten{Todos: []events.Todo{{Text: "read", Status: "completed"}, {Text: fmt.Sprintf("step %d", i), Status: "in_progress"}, {Text: "test", Status: "pending"}}}
		case i%40 == 39:
			e = events.TurnEnded{Text: "done"}
		case i%200 == 3:
			e = events.DecisionRecorded{Text: fmt.Sprintf("decision %d", i)}
		case i%4 == 0:
			e = events.FileRead{Path: fmt.Sprintf("/src/pkg%d/file%d.go", i%30, i%700)}
		case i%4 == 1:
			e = events.FileWritten{Path: fmt.Sprintf("/src/pkg%d/file%d.go", i%30, i%300), Op: "edit"}
		case i%4 == 2:
			e = events.CommandRan{Command: fmt.Sprintf("go test ./pkg%d", i%30), Failed: i%12 == 2, Error: "exit status 1"}
		default:
			e = events.UsageSampled{Percent: i / 10 % 100, Window: 200_000}
		}
		log[i] = eventstest.Wrap(tb, e, events.Meta{Project: "p", Session: "s", At: int64(i) * 1e9, Seq: uint64(i + 1)})
	}
	return log
}

// BenchmarkFold folds 100,000 events of one session over every projection.
func BenchmarkFold(b *testing.B) {
	log := session(b, 100_000)
	b.ReportAllocs()
	for b.Loop() {
		apply(b, projections.NewFold(target, projections.Config{}, projections.All()...), log...)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(log)), "ns/event")
}

// BenchmarkFoldOf folds the same events over one projection each.
func BenchmarkFoldOf(b *testing.B) {
	log := session(b, 100_000)
	for _, p := range projections.All() {
		b.Run(p.Name(), func(b *testing.B) {
			for b.Loop() {
				apply(b, projections.NewFold(target, projections.Config{}, p), log...)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(log)), "ns/event")
		})
	}
}

// BenchmarkDecisions folds more and more new decisions: the time for one must not depend on their number.
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
