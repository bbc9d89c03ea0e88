package recovery

import (
	"journal/events"
	"journal/projections"
	"journal/projections/compilation"
)

// CompileRun is a run of the compile workflow in which something is left to do (S2.11).
type CompileRun struct {
	Done, Total int
	Next        compilation.Step
}

// compileRunOf gives the run that a session that begins is to be told of, nil for none.
func compileRunOf(f *projections.Fold, asked events.Envelope) *CompileRun {
	run := compilation.Projection.In(f)
	if !run.Concerns(asked.Session, projections.Stamp(asked.At)) {
		return nil
	}
	r := CompileRun{Total: len(run.Targets), Next: run.Next()[0]}
	for _, t := range run.Targets {
		if t.Done() {
			r.Done++
		}
	}
	return &r
}
