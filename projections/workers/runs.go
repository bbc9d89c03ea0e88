package workers

import (
	"slices"
	"time"

	"journal/events"
	"journal/projections"
)

// Planned is a run of tasks as it was begun.
type Planned struct {
	Run     string            `json:"run"`
	Session string            `json:"session,omitempty"` // that began it
	Tasks   int               `json:"tasks"`
	Seq     uint64            `json:"seq"`
	At      projections.Stamp `json:"at"`
}

// maxRuns bounds how many runs are known, those that were begun last.
const maxRuns = 50

// Runs lists the runs of tasks, the one that was begun last at the end. What became of their tasks is in
// Projection.
var Runs = projections.Declare("work-runs", 1, projections.Project, "runs of workers, and how many tasks each has",
	projections.On(func(s []Planned, e events.WorkPlanned, at projections.At) []Planned {
		s = append(slices.Clone(s), Planned{e.Run, at.Session, e.Tasks, at.Seq, projections.Stamp(at.At)})
		return s[max(0, len(s)-maxRuns):]
	}),
)

// fresh is how long after its last change a run, or a task, is told of that was not brought to its end (S4.4).
const fresh = projections.Stamp(24 * time.Hour)

// Left is a run in which tasks have no outcome, or failed (S4.7).
type Left struct {
	Run                  string
	Tasks, Done, NoBegin int // all of them; with an outcome; that nobody began
	Failed               []Task
	Seq                  uint64 // last change
}

// Open says whether the run can go on.
func (l Left) Open() bool { return l.Done < l.Tasks }

// LeftAt gives the newest run of the project that is left at a time, as of its last change in the 24 hours before.
func LeftAt(f *projections.Fold, now projections.Stamp) (l Left, ok bool) {
	for _, run := range slices.Backward(Runs.In(f)) {
		l, newest, begun := Left{Run: run.Run, Tasks: run.Tasks, Seq: run.Seq}, run.At, 0
		for _, t := range Projection.In(f) {
			if t.Run != run.Run {
				continue
			}
			begun++
			newest, l.Seq = max(newest, t.At), max(l.Seq, t.Seq)
			if t.Finished() {
				l.Done++
			}
			if t.Failed() {
				l.Failed = append(l.Failed, *t)
			}
		}
		l.NoBegin = max(0, l.Tasks-begun)
		if now-newest <= fresh && (l.Open() || len(l.Failed) > 0) {
			return l, true
		}
	}
	return Left{}, false
}
