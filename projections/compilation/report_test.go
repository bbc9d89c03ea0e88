package compilation_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"journal/cmd/testkit/eventstest"
	"journal/events"
	"journal/projections"
	"journal/projections/compilation"
)

// TestS2_5Report: over 200 targets the report equals a count by hand, with each file once even if results are repeated.
func TestS2_5Report(t *testing.T) {
	t.Parallel()
	fold := projections.NewFold(projections.Target{Project: "p", Session: "s"}, projections.Config{}, compilation.Projection)
	var seq uint64
	tell := func(e events.Event) {
		seq++
		fold.Apply(eventstest.Wrap(t, e, events.Meta{Project: "p", Session: "s", Seq: seq}))
	}
	want := compilation.Report{Run: 1, Targets: 200, By: map[string]int{"compiled": 150, "planned": 50}}
	plan := events.CompilePlanned{Conflict: "skip"}
	for i := range 200 {
		plan.Targets = append(plan.Targets, events.CompileTarget{Path: fmt.Sprint("src/m", i), Mode: "update", Language: "Go"})
	}
	tell(plan)
	for i := range 150 {
		first := events.CompileFinished{
			Target: fmt.Sprint("src/m", i), Status: "success", Generated: []string{"a.go", "b.go"}, Skipped: []string{"c.go"},
			Tests: events.CompileTests{Total: 4, Passed: 3, Failed: 1},
		}
		tell(first)
		tell(first)
		want.Compiled++
		want.Updated++
		want.Generated += 2
		want.Skipped++
		want.Tests.Total, want.Tests.Passed, want.Tests.Failed = want.Tests.Total+4, want.Tests.Passed+3, want.Tests.Failed+1
		if i%3 == 0 { // compiled again: what was skipped is overwritten, the test passes
			first.Generated, first.Skipped, first.Overwritten = []string{"a.go", "c.go"}, nil, []string{"c.go"}
			first.Tests = events.CompileTests{Total: 4, Passed: 4}
			tell(events.CompileStarted{Target: first.Target})
			tell(first)
			want.Generated++
			want.Skipped--
			want.Overwritten++
			want.Tests.Passed, want.Tests.Failed = want.Tests.Passed+1, want.Tests.Failed-1
		}
	}
	if diff := cmp.Diff(want, compilation.Projection.In(fold).Report()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
