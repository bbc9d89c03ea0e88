package runner

import (
	"context"
	"strings"

	"journal/events"
	"journal/journal/worker"
)

// EndOpen ends what still lives of the workers of a run that nobody runs any more, told by pid and
// start time, and records that they were interrupted, with what they had written.
func EndOpen(ctx context.Context, s Spec, p Progress, folder string, start func(pid int) int64, record func(context.Context, ...events.Event) error) error {
	var groups []int
	for _, t := range s.Tasks {
		if w := p.of(t.ID).Open; w != nil && w.PID > 1 && w.Start != 0 && start(w.PID) == w.Start {
			groups = append(groups, w.PID)
		}
	}
	EndGroups(groups)
	var ended []events.Event
	for i, t := range s.Tasks {
		w := p.of(t.ID).Open
		if w == nil {
			continue
		}
		e := events.WorkEnded{Run: s.Run, Task: t.ID, Phase: w.Phase, Part: w.Part, Error: "the run ended before its worker", Interrupted: true}
		if out := Output(folder, i, w.Phase, w.Part); strings.TrimSpace(out) != "" {
			e.Partial = worker.Clip(out)
		}
		ended = append(ended, e)
		p.Apply(s.Run, e)
	}
	for _, e := range ended {
		if err := record(ctx, e); err != nil {
			return err
		}
	}
	return nil
}
