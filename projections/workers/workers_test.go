package workers_test

import (
	"fmt"
	"testing"

	"journal/cmd/testkit/eventstest"
	"journal/events"
	"journal/projections"
	"journal/projections/workers"
)

// TestNewestUnfinished: a run whose tasks all have an outcome is finished, also if the states of some are gone: expired, or dropped
// because the project has had too many tasks since.
func TestNewestUnfinished(t *testing.T) {
	t.Parallel()
	task := func(i int) string { return fmt.Sprint("t", i) }
	run := func(planned, started, finished int) (log []events.Event) {
		log = append(log, events.WorkPlanned{Run: "r", Tasks: planned})
		for i := range started {
			log = append(log, events.WorkStarted{Run: "r", Task: task(i)})
			if i < finished {
				log = append(log, events.WorkFinished{Run: "r", Task: task(i), Success: true})
			}
		}
		return log
	}
	expired := events.WorkExpired{Tasks: []events.WorkName{{Run: "r", Task: task(0)}, {Run: "r", Task: task(1)}}}
	for name, tc := range map[string]struct {
		log              []events.Event
		done, notStarted int // -1 for a finished run
	}{
		"finished":          {run(2, 2, 2), -1, -1},
		"killed":            {run(4, 3, 2), 2, 1},
		"finished, expired": {append(run(2, 2, 2), expired), -1, -1},
		"killed, expired":   {append(run(4, 2, 2), expired), 2, 2},
		"finished, many":    {run(1500, 1500, 1500), -1, -1},
		"killed, many":      {run(1500, 1202, 1200), 1200, 298},
	} {
		f := projections.NewFold(projections.Target{Project: "p", Session: "s"}, projections.Config{}, workers.Projection, workers.Runs)
		for i, e := range tc.log {
			f.Apply(eventstest.Wrap(t, e, events.Meta{Project: "p", Session: "s", Seq: uint64(i + 1)}))
		}
		r, ok := workers.NewestUnfinished(f, 0)
		if !ok {
			r.Done, r.NotStarted = -1, -1
		}
		if r.Done != tc.done || r.NotStarted != tc.notStarted {
			t.Errorf("%s: %d done and %d not started, want %d and %d", name, r.Done, r.NotStarted, tc.done, tc.notStarted)
		}
	}
}
