package workers

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"journal/events"
	"journal/events/text"
	"journal/projections"
)

const (
	maxTasks     = 1000    // tasks of a state; it keeps those that changed last
	maxText      = 4 << 20 // bytes of the results, partial results and NotAsked of all tasks
	keptNotAsked = 200     // bytes of NotAsked that a task with dropped results keeps
)

// State lists the tasks of workers, the last changed one at the end.
type State []*Task

// MarshalJSON encodes an empty list as a list.
func (s State) MarshalJSON() ([]byte, error) { return json.Marshal(append([]*Task{}, s...)) }

// Task returns the last changed task with an id, of any run, if there is one.
func (s State) Task(id string) (Task, bool) {
	for _, t := range slices.Backward(s) {
		if t.TaskID == id {
			return *t, true
		}
	}
	return Task{}, false
}

// Projection records the progress and outcome of each task of a worker (S4.3, S4.7). The readers of a state decide whether a task is
// old and whether its worker still runs (ADR-0021 rule 2).
var Projection = projections.Declare("work", 3, projections.Project, "tasks of workers, and their recovery from full contexts",
	projections.On(State.started),
	projections.On(State.attempted),
	projections.On(State.ended),
	projections.On(State.finished),
	projections.On(State.reported),
	projections.On(State.expired),
)

func (s State) started(e events.WorkStarted, at projections.At) State {
	return s.with(e.Run, e.Task, at, func(t *Task) {
		old := *t
		*t = Waiting(e)
		t.Session, t.Seq, t.At = at.Session, old.Seq, old.At
		t.Timestamps.Started = timeOf(projections.Stamp(at.At))
	})
}

// Waiting returns the state of a task before its start.
func Waiting(e events.WorkStarted) Task {
	return Task{
		TaskID: e.Task, Run: e.Run, PartialResults: []Text{},
		OriginalTask: Original{cmp.Or(e.ID, e.Task), e.Prompt, e.Type, e.HasContext, e.HasFiles, e.PromptLength},
	}
}

func (s State) attempted(e events.WorkAttempted, at projections.At) State {
	return s.with(e.Run, e.Task, at, func(t *Task) {
		t.Open = &Worker{e.Phase, e.PID, e.Start}
		t.NotAsked = e.NotAsked
		if e.Part > 0 { // the first part has recorded the attempt
			return
		}
		if p, start, _ := t.phase(e.Phase); p != nil {
			*p, *start = Reduced{Attempted: true, Length: e.Length}, timeOf(projections.Stamp(at.At))
		}
		t.reached(e.Phase)
	})
}

func (s State) ended(e events.WorkEnded, at projections.At) State {
	return s.with(e.Run, e.Task, at, func(t *Task) {
		t.Open = nil
		if e.Partial != "" {
			t.PartialResults = append(slices.Clip(t.PartialResults), partialText(e.Phase, e.Partial))
		}
		if e.Interrupted {
			return
		}
		if e.Phase == 0 {
			t.Error = nil
			if !e.Success {
				t.Error = &Error{e.Error, e.Pattern}
			}
		} else if p, _, end := t.phase(e.Phase); p != nil {
			p.Attempted, p.Success, p.Error = true, e.Success, e.Error
			*end = timeOf(projections.Stamp(at.At))
		}
		t.reached(e.Phase)
	})
}

func (s State) finished(e events.WorkFinished, at projections.At) State {
	return s.with(e.Run, e.Task, at, func(t *Task) {
		t.Open = nil
		t.Recovered = e.Success && e.Phase > 0 && t.NotAsked == ""
		switch p, _, _ := t.phase(e.Phase); {
		case !e.Success:
			if t.Error == nil && e.Error != "" {
				t.Error = &Error{Message: e.Error}
			}
		case p != nil:
			p.Attempted, p.Success, p.Error, p.Result = true, true, "", Text(e.Result)
		default:
			t.Result = Text(e.Result)
		}
		t.reached(e.Phase)
		t.Timestamps.Completed = timeOf(projections.Stamp(at.At))
	})
}

// phase returns the outcome of phase 1 or 2, and the times of its start and end. They are nil for any other number.
func (t *Task) phase(n int) (p *Reduced, start, end *Time) {
	r, times := &t.Recovery, &t.Timestamps
	switch n {
	case 1:
		return &r.Phase1, &times.Phase1Start, &times.Phase1End
	case 2: // a Split is a Reduced whose length has another name in JSON
		return (*Reduced)(&r.Phase2), &times.Phase2Start, &times.Phase2End
	}
	return nil, nil, nil
}

// reached sets FinalPhase, and TotalRetries to the number of phases that were attempted.
func (t *Task) reached(phase int) {
	t.FinalPhase, t.TotalRetries = phase, 0
	for _, tried := range []bool{t.Recovery.Phase1.Attempted, t.Recovery.Phase2.Attempted} {
		if tried {
			t.TotalRetries++
		}
	}
}

// reported applies another program's report of a task.
func (s State) reported(e events.WorkReported, at projections.At) State {
	return s.with("", e.Task, at, func(t *Task) {
		*t = Task{
			TaskID: e.Task, Session: at.Session, Seq: t.Seq, At: t.At,
			OriginalTask: Original{e.ID, e.Prompt, e.Type, e.HasContext, e.HasFiles, e.PromptLength},
			Recovered:    e.Recovered, FinalPhase: e.FinalPhase, TotalRetries: e.Retries,
			Timestamps: Times{Started: Time(e.Started), Completed: Time(e.Completed)},
		}
		if e.Error != "" || e.Pattern != "" {
			t.Error = &Error{e.Error, e.Pattern}
		}
		for _, p := range e.Partial {
			t.PartialResults = append(t.PartialResults, Text(p))
		}
		for i, result := range e.Phases {
			if p, start, end := t.phase(i + 1); p != nil {
				*p = Reduced{result.Attempted, result.Success, result.Length, result.Error, Text(result.Result)}
				*start, *end = Time(result.Start), Time(result.End)
			}
		}
		if newest := t.Timestamps.newest(); newest != 0 {
			t.At = min(t.At, newest) // the task may have changed long before the report
		}
	})
}

func (s State) expired(e events.WorkExpired, _ projections.At) State {
	removed := make(map[events.WorkName]bool, len(e.Tasks))
	for _, name := range e.Tasks {
		removed[name] = true
	}
	return slices.DeleteFunc(slices.Clone(s), func(t *Task) bool { return removed[events.WorkName{Run: t.Run, Task: t.TaskID}] })
}

// with returns a copy of the list after change has been applied to a task. It adds a new task, and moves the task to the end.
func (s State) with(run, id string, at projections.At, change func(*Task)) State {
	task := Task{TaskID: id, Run: run, Session: at.Session}
	out := make(State, 0, len(s)+1)
	for _, t := range s {
		if t.Run == run && t.TaskID == id {
			task = *t
		} else {
			out = append(out, t)
		}
	}
	task.Seq, task.At = at.Seq, projections.Stamp(at.At)
	change(&task)
	if task.PartialResults == nil {
		task.PartialResults = []Text{} // an empty list in JSON
	}
	out = append(out, &task)
	return out[max(0, len(out)-maxTasks):].within(maxText)
}

// within drops results in place, and most of NotAsked, until all texts have at most limit bytes. It begins with the tasks that are
// unchanged for longest, and keeps the results of the last changed task, however long they are.
func (s State) within(limit int) State {
	size := 0
	for _, t := range s {
		size += t.size()
	}
	for i := 0; size > limit && i < len(s)-1; i++ {
		if n := s[i].size(); n > 0 && !s[i].Dropped {
			t := *s[i]
			t.PartialResults, t.Result, t.Dropped = []Text{}, "", true
			t.Recovery.Phase1.Result, t.Recovery.Phase2.Result = "", ""
			t.NotAsked = text.Cut(t.NotAsked, keptNotAsked, 0)
			s[i] = &t
			size -= n - t.size()
		}
	}
	return s
}

// size returns the number of bytes of a task that count for maxText.
func (t Task) size() int {
	n := len(t.Result) + len(t.NotAsked) + len(t.Recovery.Phase1.Result) + len(t.Recovery.Phase2.Result)
	for _, p := range t.PartialResults {
		n += len(p)
	}
	return n
}

// partialText encodes the partial result of an attempt.
func partialText(phase int, output string) Text {
	b, err := json.Marshal(struct {
		Phase  int    `json:"phase"`
		Output string `json:"output"`
	}{phase, output})
	if err != nil { // cannot happen with an integer and a string
		return ""
	}
	return Text(b)
}

// Planned is a planned run of tasks.
type Planned struct {
	Run     string            `json:"run"`
	Session string            `json:"session,omitempty"` // the session that started it
	Tasks   int               `json:"tasks"`             // number of tasks
	Done    int               `json:"done"`              // number of tasks with an outcome, also of those that Projection has dropped
	Seq     uint64            `json:"seq"`
	At      projections.Stamp `json:"at"`
}

// maxRuns bounds the runs of a state, to those that started last.
const maxRuns = 50

// Runs lists the runs of tasks, the last started run at the end. Projection has the states of their tasks.
var Runs = projections.Declare("work-runs", 2, projections.Project, "runs of workers, how many tasks each has, and how many have an outcome",
	projections.On(func(s []Planned, e events.WorkPlanned, at projections.At) []Planned {
		s = append(slices.Clone(s), Planned{Run: e.Run, Session: at.Session, Tasks: e.Tasks, Seq: at.Seq, At: projections.Stamp(at.At)})
		return s[max(0, len(s)-maxRuns):]
	}),
	projections.On(func(s []Planned, e events.WorkFinished, _ projections.At) []Planned {
		if i := slices.IndexFunc(s, func(p Planned) bool { return p.Run == e.Run }); i >= 0 {
			s = slices.Clone(s)
			s[i].Done++
		}
		return s
	}),
)

// offeredFor is the time after its last change in which an unfinished run is offered (S4.4).
const offeredFor = projections.Stamp(24 * time.Hour)

// UnfinishedRun is a run with tasks that have no outcome or failed (S4.7).
type UnfinishedRun struct {
	Run                     string
	Tasks, Done, NotStarted int    // number of all tasks, of tasks with an outcome, of tasks that were not started
	Failed                  []Task // tasks whose outcome is a failure
	Seq                     uint64 // last change
}

// Open reports whether a task of the run has no outcome.
func (r UnfinishedRun) Open() bool { return r.Done < r.Tasks }

// NewestUnfinished returns the newest run of the project that is unfinished and changed in the 24 hours before now. ok is false
// if there is none.
func NewestUnfinished(f *projections.Fold, now projections.Stamp) (r UnfinishedRun, ok bool) {
	for _, planned := range slices.Backward(Runs.In(f)) {
		newest, open := planned.At, 0
		r = UnfinishedRun{Run: planned.Run, Tasks: planned.Tasks, Done: min(planned.Done, planned.Tasks), Seq: planned.Seq}
		for _, t := range Projection.In(f) {
			if t.Run != planned.Run {
				continue
			}
			newest, r.Seq = max(newest, t.At), max(r.Seq, t.Seq)
			if !t.Finished() {
				open++
			}
			if t.Failed() {
				r.Failed = append(r.Failed, *t)
			}
		}
		r.NotStarted = max(0, r.Tasks-r.Done-open)
		if now-newest <= offeredFor && (r.Open() || len(r.Failed) > 0) {
			return r, true
		}
	}
	return UnfinishedRun{}, false
}
