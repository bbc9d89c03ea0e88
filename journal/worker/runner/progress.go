package runner

import (
	"slices"

	"journal/events"
	"journal/journal/worker"
)

// Progress holds the state of the tasks of one run, by name. It is a fold of the run's events, so a
// run can be resumed from the log alone.
type Progress map[string]*Step

// Step is the state of one task.
type Step struct {
	Started  bool                  // its start is recorded
	Finished *events.WorkFinished  // its outcome; nil: none yet
	Failed   *worker.Failure       // of the first attempt; nil: it has not failed
	Next     int                   // the phase to try next, if Failed is set
	Done     map[part]string       // the clipped outputs of the parts that have succeeded
	Open     *events.WorkAttempted // an attempt without an end; nil: none
	NotAsked string                // the clipped part of the prompt that no attempt of the last phase has sent
	Partial  []worker.Partial      // outputs of attempts that failed, were interrupted, or were only a part
}

// part names a part of a task in a phase.
type part struct{ Phase, Part int }

// Apply folds an event. Only events of the run change something.
func (p Progress) Apply(run string, e events.Event) {
	switch e := e.(type) {
	case events.WorkStarted:
		if e.Run == run {
			p.step(e.Task).Started = true
		}
	case events.WorkAttempted:
		if e.Run == run {
			s := p.step(e.Task)
			s.Open, s.NotAsked = &e, e.NotAsked
		}
	case events.WorkEnded:
		if e.Run == run {
			p.step(e.Task).ended(e)
		}
	case events.WorkFinished:
		if e.Run == run {
			s := p.step(e.Task)
			s.Open, s.Finished = nil, &e
		}
	}
}

// step returns the state of a task. For a new task it adds a state.
func (p Progress) step(task string) *Step {
	if p[task] == nil {
		p[task] = &Step{Next: 1}
	}
	return p[task]
}

// ended folds the end of an attempt.
func (s *Step) ended(e events.WorkEnded) {
	s.Open = nil
	if e.Partial != "" {
		s.Partial = append(s.Partial, worker.Partial{Phase: e.Phase, Output: e.Partial})
	}
	switch {
	case e.Success:
		if s.Done == nil {
			s.Done = map[part]string{}
		}
		s.Done[part{e.Phase, e.Part}] = e.Partial
	case e.Interrupted:
	case e.Phase == 0:
		s.Failed = &worker.Failure{Message: e.Error, Output: e.Partial}
	case e.Part > 0:
		s.Next = worker.MaxPhase + 1 // no other phase is tried, because the earlier parts would run twice
	default:
		s.Next = e.Phase + 1
	}
}

// Done reports whether every task of a run has an outcome.
func (p Progress) Done(s Spec) bool {
	return !slices.ContainsFunc(s.Tasks, func(t worker.Task) bool { return p[t.ID] == nil || p[t.ID].Finished == nil })
}
