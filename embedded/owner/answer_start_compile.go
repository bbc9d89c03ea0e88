package owner

import (
	"journal/projections"
	"journal/projections/compilation"
)

// openRun is a run of the compile workflow in which something is left to do (S2.11).
type openRun struct {
	Done, Total int
	Next        compilation.Step
}

// openRunOf gives the run that a session that begins is to be told of, nil for none.
func openRunOf(q question) *openRun {
	run := compilation.Projection.In(q.fold)
	if !run.Concerns(q.asked.Session, projections.Stamp(q.asked.At)) {
		return nil
	}
	o := openRun{Total: len(run.Targets), Next: run.Next()[0]}
	for _, t := range run.Targets {
		if t.Done() {
			o.Done++
		}
	}
	return &o
}
