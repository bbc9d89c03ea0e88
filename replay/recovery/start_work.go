package recovery

import (
	"journal/events"
	"journal/projections"
	"journal/projections/workers"
)

// WorkRun is a run of workers that was killed, or in which tasks failed (S4.7).
type WorkRun struct {
	workers.Left
	First workers.Task // that failed
}

// workRunOf gives the run that a session that begins is to be told of, nil for none.
func workRunOf(f *projections.Fold, asked events.Envelope) *WorkRun {
	left, ok := workers.LeftAt(f, projections.Stamp(asked.At))
	if !ok {
		return nil
	}
	r := WorkRun{Left: left}
	if len(left.Failed) > 0 {
		r.First = left.Failed[0]
	}
	return &r
}
