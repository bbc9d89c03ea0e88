package projections

import (
	"cmp"
	"encoding/json"
	"slices"

	"journal/events"
)

// maxWork bounds how many tasks a state holds, those that changed last; maxWorkText
// how many bytes of results and partial results it holds of them all.
const (
	maxWork     = 1000
	maxWorkText = 4 << 20
)

// WorkState lists the tasks of workers, the one that changed last at the end.
type WorkState []*WorkTask

// MarshalJSON gives a list even when it is empty.
func (s WorkState) MarshalJSON() ([]byte, error) { return marshalList(s) }

// Task gives the newest state of a task, of whichever run.
func (s WorkState) Task(id string) (WorkTask, bool) {
	for _, t := range slices.Backward(s) {
		if t.TaskID == id {
			return *t, true
		}
	}
	return WorkTask{}, false
}

// Work tells of each task of a worker how far it is and what became of it (S4.3,
// S4.7). Whether a state is old, and whether a worker still lives, is for those to
// say who look at it (ADR-0021 rule 2).
var Work = Declare("work", 1, Project, "tasks of workers, and their recovery from full contexts",
	On(WorkState.started),
	On(WorkState.attempted),
	On(WorkState.ended),
	On(WorkState.finished),
	On(WorkState.told),
	On(WorkState.expired),
)

func (s WorkState) started(e events.WorkStarted, at At) WorkState {
	return s.with(e.Run, e.Task, at, func(t *WorkTask) {
		*t = WorkTask{TaskID: e.Task, Run: e.Run, Seq: t.Seq, At: t.At}
		t.OriginalTask = WorkOriginal{cmp.Or(e.ID, e.Task), e.Prompt, e.Type, e.HasContext, e.HasFiles, e.PromptLength}
		t.Timestamps.Started = workTime(Stamp(at.At))
	})
}

func (s WorkState) attempted(e events.WorkAttempted, at At) WorkState {
	return s.with(e.Run, e.Task, at, func(t *WorkTask) {
		t.Open = &WorkWorker{e.Phase, e.PID, e.Start}
		r, now := &t.Recovery, workTime(Stamp(at.At))
		switch e.Phase {
		case 1:
			r.Phase1, t.Timestamps.Phase1Start = WorkReduced{Attempted: true, Length: e.Length}, now
		case 2:
			r.Phase2, t.Timestamps.Phase2Start = WorkSplit{Attempted: true, Length: e.Length}, now
		}
		t.reached(e.Phase)
	})
}

func (s WorkState) ended(e events.WorkEnded, at At) WorkState {
	return s.with(e.Run, e.Task, at, func(t *WorkTask) {
		t.Open = nil
		if e.Partial != "" {
			t.PartialResults = append(slices.Clip(t.PartialResults), partialText(e.Phase, e.Partial))
		}
		if e.Interrupted {
			return
		}
		r, now := &t.Recovery, workTime(Stamp(at.At))
		switch e.Phase {
		case 0:
			if t.Error = nil; !e.Success {
				t.Error = &WorkError{e.Error, e.Pattern}
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

func (s WorkState) finished(e events.WorkFinished, at At) WorkState {
	return s.with(e.Run, e.Task, at, func(t *WorkTask) {
		t.Open = nil
		t.Recovered = e.Success && e.Phase > 0
		switch result := WorkText(e.Result); {
		case !e.Success:
			if t.Error == nil && e.Error != "" {
				t.Error = &WorkError{Message: e.Error}
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
		t.Timestamps.Completed = workTime(Stamp(at.At))
	})
}

// reached counts the phases that were tried.
func (t *WorkTask) reached(phase int) {
	t.FinalPhase, t.TotalRetries = phase, 0
	for _, tried := range []bool{t.Recovery.Phase1.Attempted, t.Recovery.Phase2.Attempted} {
		if tried {
			t.TotalRetries++
		}
	}
}

// told takes over what another program says.
func (s WorkState) told(e events.WorkTold, at At) WorkState {
	return s.with("", e.Task, at, func(t *WorkTask) {
		*t = WorkTask{
			TaskID: e.Task, Seq: t.Seq, At: t.At,
			OriginalTask: WorkOriginal{e.ID, e.Prompt, e.Type, e.HasContext, e.HasFiles, e.PromptLength},
			Recovered:    e.Recovered, FinalPhase: e.FinalPhase, TotalRetries: e.Retries,
			Timestamps: WorkTimes{Started: WorkTime(e.Started), Completed: WorkTime(e.Completed)},
		}
		if e.Error != "" || e.Pattern != "" {
			t.Error = &WorkError{e.Error, e.Pattern}
		}
		for _, p := range e.Partial {
			t.PartialResults = append(t.PartialResults, WorkText(p))
		}
		if len(e.Phases) > 0 {
			p := e.Phases[0]
			t.Recovery.Phase1 = WorkReduced{p.Attempted, p.Success, p.Length, p.Error, WorkText(p.Result)}
			t.Timestamps.Phase1Start, t.Timestamps.Phase1End = WorkTime(p.Start), WorkTime(p.End)
		}
		if len(e.Phases) > 1 {
			p := e.Phases[1]
			t.Recovery.Phase2 = WorkSplit{p.Attempted, p.Success, p.Length, p.Error, WorkText(p.Result)}
			t.Timestamps.Phase2Start, t.Timestamps.Phase2End = WorkTime(p.Start), WorkTime(p.End)
		}
		if told := t.Timestamps.newest(); told != 0 {
			t.At = min(t.At, told) // history is as old as it says
		}
	})
}

func (s WorkState) expired(e events.WorkExpired, _ At) WorkState {
	gone := make(map[events.WorkName]bool, len(e.Tasks))
	for _, name := range e.Tasks {
		gone[name] = true
	}
	return slices.DeleteFunc(slices.Clone(s), func(t *WorkTask) bool { return gone[events.WorkName{Run: t.Run, Task: t.TaskID}] })
}

// with changes one task of a copy of the list, making it when it is new, and puts
// it last.
func (s WorkState) with(run, id string, at At, change func(*WorkTask)) WorkState {
	task := WorkTask{TaskID: id, Run: run}
	out := make(WorkState, 0, len(s)+1)
	for _, t := range s {
		if t.Run == run && t.TaskID == id {
			task = *t
		} else {
			out = append(out, t)
		}
	}
	task.Seq, task.At = at.Seq, Stamp(at.At)
	change(&task)
	if task.PartialResults == nil {
		task.PartialResults = []WorkText{} // a list in JSON, also when it is empty
	}
	out = append(out, &task)
	return out[max(0, len(out)-maxWork):].within(maxWorkText)
}

// within drops results of the tasks that changed first, in place, until those of
// all have at most so many bytes.
func (s WorkState) within(most int) WorkState {
	size := 0
	for _, t := range s {
		size += t.size()
	}
	for i := 0; size > most && i < len(s)-1; i++ {
		if n := s[i].size(); n > 0 {
			t := *s[i]
			t.PartialResults, t.Result, t.Dropped = []WorkText{}, "", true
			t.Recovery.Phase1.Result, t.Recovery.Phase2.Result = "", ""
			s[i] = &t
			size -= n
		}
	}
	return s
}

// size is how many bytes of results a task holds.
func (t WorkTask) size() int {
	n := len(t.Result) + len(t.Recovery.Phase1.Result) + len(t.Recovery.Phase2.Result)
	for _, p := range t.PartialResults {
		n += len(p)
	}
	return n
}

// partialText spells what an attempt left.
func partialText(phase int, output string) WorkText {
	b, err := json.Marshal(struct {
		Phase  int    `json:"phase"`
		Output string `json:"output"`
	}{phase, output})
	if err != nil { // of an integer and a text there is none
		return ""
	}
	return WorkText(b)
}
