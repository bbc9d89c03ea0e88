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

// maxTasks bounds how many tasks a state holds, those that changed last; maxText
// how many bytes of results and partial results it holds of them all.
const (
	maxTasks = 1000
	maxText  = 4 << 20
	// leastLeft is what stays of what was not asked, in bytes.
	leastLeft = 200
)

// State lists the tasks of workers, the one that changed last at the end.
type State []*Task

// MarshalJSON gives a list even when it is empty.
func (s State) MarshalJSON() ([]byte, error) { return json.Marshal(append([]*Task{}, s...)) }

// Task gives the newest state of a task, of whichever run.
func (s State) Task(id string) (Task, bool) {
	for _, t := range slices.Backward(s) {
		if t.TaskID == id {
			return *t, true
		}
	}
	return Task{}, false
}

// Projection tells of each task of a worker how far it is and what became of it (S4.3,
// S4.7). Whether a state is old, and whether a worker still lives, is for those to
// say who look at it (ADR-0021 rule 2).
var Projection = projections.Declare("work", 3, projections.Project, "tasks of workers, and their recovery from full contexts",
	projections.On(State.started),
	projections.On(State.attempted),
	projections.On(State.ended),
	projections.On(State.finished),
	projections.On(State.told),
	projections.On(State.expired),
)

func (s State) started(e events.WorkStarted, at projections.At) State {
	return s.with(e.Run, e.Task, at, func(t *Task) {
		was := *t
		*t = Waiting(e)
		t.Session, t.Seq, t.At = at.Session, was.Seq, was.At
		t.Timestamps.Started = timeOf(projections.Stamp(at.At))
	})
}

// Waiting is the state of a task that nobody began.
func Waiting(e events.WorkStarted) Task {
	return Task{
		TaskID: e.Task, Run: e.Run, PartialResults: []Text{},
		OriginalTask: Original{cmp.Or(e.ID, e.Task), e.Prompt, e.Type, e.HasContext, e.HasFiles, e.PromptLength},
	}
}

func (s State) attempted(e events.WorkAttempted, at projections.At) State {
	return s.with(e.Run, e.Task, at, func(t *Task) {
		t.Open = &Worker{e.Phase, e.PID, e.Start}
		if t.NotAsked = e.NotAsked; e.Part > 0 {
			return
		}
		r, now := &t.Recovery, timeOf(projections.Stamp(at.At))
		switch e.Phase {
		case 1:
			r.Phase1, t.Timestamps.Phase1Start = Reduced{Attempted: true, Length: e.Length}, now
		case 2:
			r.Phase2, t.Timestamps.Phase2Start = Split{Attempted: true, Length: e.Length}, now
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
		r, now := &t.Recovery, timeOf(projections.Stamp(at.At))
		switch e.Phase {
		case 0:
			if t.Error = nil; !e.Success {
				t.Error = &Error{e.Error, e.Pattern}
			}
		case 1:
			r.Phase1.Attempted, r.Phase1.Success, r.Phase1.Error = true, e.Success, e.Error
			t.Timestamps.Phase1End = now
		case 2:
			r.Phase2.Attempted, r.Phase2.Success, r.Phase2.Error = true, e.Success, e.Error
			t.Timestamps.Phase2End = now
		}
		t.reached(e.Phase)
	})
}

func (s State) finished(e events.WorkFinished, at projections.At) State {
	return s.with(e.Run, e.Task, at, func(t *Task) {
		t.Open = nil
		t.Recovered = e.Success && e.Phase > 0 && t.NotAsked == ""
		switch result := Text(e.Result); {
		case !e.Success:
			if t.Error == nil && e.Error != "" {
				t.Error = &Error{Message: e.Error}
			}
		case e.Phase == 1:
			p := &t.Recovery.Phase1
			p.Attempted, p.Success, p.Error, p.Result = true, true, "", result
		case e.Phase == 2:
			p := &t.Recovery.Phase2
			p.Attempted, p.Success, p.Error, p.Result = true, true, "", result
		default:
			t.Result = result
		}
		t.reached(e.Phase)
		t.Timestamps.Completed = timeOf(projections.Stamp(at.At))
	})
}

// reached counts the phases that were tried.
func (t *Task) reached(phase int) {
	t.FinalPhase, t.TotalRetries = phase, 0
	for _, tried := range []bool{t.Recovery.Phase1.Attempted, t.Recovery.Phase2.Attempted} {
		if tried {
			t.TotalRetries++
		}
	}
}

// told takes over what another program says.
func (s State) told(e events.WorkTold, at projections.At) State {
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
		if len(e.Phases) > 0 {
			p := e.Phases[0]
			t.Recovery.Phase1 = Reduced{p.Attempted, p.Success, p.Length, p.Error, Text(p.Result)}
			t.Timestamps.Phase1Start, t.Timestamps.Phase1End = Time(p.Start), Time(p.End)
		}
		if len(e.Phases) > 1 {
			p := e.Phases[1]
			t.Recovery.Phase2 = Split{p.Attempted, p.Success, p.Length, p.Error, Text(p.Result)}
			t.Timestamps.Phase2Start, t.Timestamps.Phase2End = Time(p.Start), Time(p.End)
		}
		if newest := t.Timestamps.newest(); newest != 0 {
			t.At = min(t.At, newest) // history is as old as it says
		}
	})
}

func (s State) expired(e events.WorkExpired, _ projections.At) State {
	gone := make(map[events.WorkName]bool, len(e.Tasks))
	for _, name := range e.Tasks {
		gone[name] = true
	}
	return slices.DeleteFunc(slices.Clone(s), func(t *Task) bool { return gone[events.WorkName{Run: t.Run, Task: t.TaskID}] })
}

// with changes one task of a copy of the list, making it when it is new, and puts
// it last.
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
		task.PartialResults = []Text{} // a list in JSON, also when it is empty
	}
	out = append(out, &task)
	return out[max(0, len(out)-maxTasks):].within(maxText)
}

// within drops results of the tasks that changed first, in place, until those of
// all have at most so many bytes.
func (s State) within(most int) State {
	size := 0
	for _, t := range s {
		size += t.size()
	}
	for i := 0; size > most && i < len(s)-1; i++ {
		if n := s[i].size(); n > 0 && !s[i].Dropped {
			t := *s[i]
			t.PartialResults, t.Result, t.Dropped = []Text{}, "", true
			t.Recovery.Phase1.Result, t.Recovery.Phase2.Result = "", ""
			t.NotAsked = text.Cut(t.NotAsked, leastLeft, 0)
			s[i] = &t
			size -= n - t.size()
		}
	}
	return s
}

// size is how many bytes of results a task holds.
func (t Task) size() int {
	n := len(t.Result) + len(t.NotAsked) + len(t.Recovery.Phase1.Result) + len(t.Recovery.Phase2.Result)
	for _, p := range t.PartialResults {
		n += len(p)
	}
	return n
}

// partialText spells what an attempt left.
func partialText(phase int, output string) Text {
	b, err := json.Marshal(struct {
		Phase  int    `json:"phase"`
		Output string `json:"output"`
	}{phase, output})
	if err != nil { // of an integer and a text there is none
		return ""
	}
	return Text(b)
}

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
