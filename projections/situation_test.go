package projections_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"journal/cmd/testkit/eventstest"
	"journal/events"
	"journal/projections"
)

// TestKeyPoints: a checkpoint has the five newest decisions that hold, of the twenty that are remembered, each wording
// once (S0.9).
func TestKeyPoints(t *testing.T) {
	t.Parallel()
	fold := projections.NewFold(target, projections.Config{}, projections.Checkpoints)
	var seq uint64
	tell := func(e events.Event) uint64 {
		seq++
		apply(t, fold, eventstest.Wrap(t, e, events.Meta{Project: "p", Session: "s", Seq: seq, At: int64(seq) * 1e12}))
		return seq
	}
	points := func() []string {
		tell(events.CompactionIntended{Trigger: "manual"})
		tell(events.ContextRestarted{})
		newest, _ := projections.Checkpoints.In(fold).Newest()
		return newest.KeyPoints
	}
	seqs := map[int]uint64{}
	for n := 1; n <= 21; n++ {
		seqs[n] = tell(events.DecisionRecorded{Text: fmt.Sprint("decision ", n)})
	}
	tell(events.DecisionRecorded{Text: "decision 20"})
	want := []string{"decision 21", "decision 20", "decision 19", "decision 18", "decision 17"}
	if diff := cmp.Diff(want, points()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for n := 21; n > 6; n-- {
		tell(events.DecisionRetracted{Decision: seqs[n], Reason: "no"})
	}
	tell(events.DecisionRetracted{Decision: 999, Reason: "nobody's"})
	tell(events.DecisionRecorded{Text: "instead", Replaces: seqs[4]})
	want = []string{"instead", "decision 6", "decision 5", "decision 3", "decision 2"}
	if diff := cmp.Diff(want, points()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	tell(events.DecisionRetracted{Decision: seqs[6], Reason: "no"})
	if got := points(); len(got) != 4 { // the first was forgotten when the twenty-first came
		t.Errorf("%q", got)
	}
}
