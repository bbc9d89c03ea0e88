package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"journal/events"
	"journal/events/text"
	"journal/journal/worker"
)

// Options configures a run, besides its Spec.
type Options struct {
	Folder string // path of the run's folder
	Self   string // path of this program, for `work gate` and `work guard`
	// Record makes events durable, all of them or none. Several goroutines call it.
	Record func(context.Context, ...events.Event) error
	// Start returns the start time of a process in a unit of the system, 0 if there is no such process. The
	// time distinguishes the process from earlier and later ones with the same id. It is proc.Start.
	Start func(pid int) int64
	// Say shows a line about the progress to a person. Several goroutines call it.
	Say func(line string)
}

// Outcome is the result of a task.
type Outcome struct {
	ID                string           `json:"id"`
	Success           bool             `json:"success"`
	Output            string           `json:"output"`
	Error             string           `json:"error,omitempty"` // of the first attempt
	ContextLimitError bool             `json:"contextLimitError"`
	Recovered         bool             `json:"recovered"`
	Phase             int              `json:"phase"`   // of the last attempt
	Retries           int              `json:"retries"` // number of phases that were tried
	PartialResults    []worker.Partial `json:"partialResults"`
	NotAsked          string           `json:"notAsked,omitempty"` // the part of the prompt that was sent to no worker; clipped if an earlier process made the last attempt
}

// ErrInterrupted is returned for a run that ended before all of its tasks had an outcome. Such a run can be resumed.
var ErrInterrupted = errors.New("interrupted")

// Run runs the tasks that have no outcome yet, in order. It returns the outcome of each task that has one
// at the end, also from earlier processes. before is the progress so far. When ctx ends, Run ends the
// workers and returns ErrInterrupted. Any other error means that a step could not be recorded, or that a
// worker or the guard could not be started. No other process may work on the same run meanwhile.
func Run(ctx context.Context, s Spec, before Progress, o Options) ([]Outcome, error) {
	g, err := startGuard(o.Self)
	if err != nil {
		return nil, err
	}
	defer g.close()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	r := &run{Spec: s, Options: o, guard: g}
	outcomes := make([]*Outcome, len(s.Tasks))
	steps := make([]*Step, len(s.Tasks))
	for i, t := range s.Tasks {
		steps[i] = before.step(t.ID) // not in the goroutines, because it may add to the map
	}
	next := make(chan int)
	var pool sync.WaitGroup
	for range max(1, min(s.Workers, len(s.Tasks))) {
		pool.Go(func() {
			for i := range next {
				out, err := r.task(ctx, i, steps[i])
				if err != nil {
					stop(err)
					continue
				}
				outcomes[i] = &out
			}
		})
	}
	for i := range s.Tasks {
		next <- i
	}
	close(next)
	pool.Wait()
	var all []Outcome
	for _, out := range outcomes {
		if out != nil {
			all = append(all, *out)
		}
	}
	if len(all) < len(outcomes) {
		if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
			return all, err
		}
		return all, ErrInterrupted
	}
	return all, nil
}

// run is a run in progress.
type run struct {
	Spec
	Options
	guard *guard
}

// task runs a task until it has an outcome, and returns the outcome. i is the index of the task.
func (r *run) task(ctx context.Context, i int, step *Step) (Outcome, error) {
	t := r.Tasks[i]
	if step.Finished != nil {
		return r.finished(i, step), nil
	}
	var original worker.Result
	if step.Failed != nil {
		original.Failure = *step.Failed
	} else {
		var err error
		if original, err = r.attempt(ctx, i, t, step); err != nil {
			return Outcome{}, err
		}
	}
	recovery := worker.Recovery{Result: original}
	notAsked := t.NotAsked // of the task that was sent last
	if step.Next > 1 {
		notAsked = step.NotAsked // an earlier process sent a reduced one
	}
	if r.Recover && !original.Success {
		var err error
		recovery, err = worker.Recover(t, original, step.Next, r.Language, func(reduced worker.Task) (worker.Result, error) {
			notAsked = reduced.NotAsked
			return r.retry(ctx, i, step, original.Failure, reduced)
		})
		if err != nil {
			return Outcome{}, err
		}
	}
	return r.finish(ctx, i, step, original.Failure, recovery, notAsked)
}

// retry makes an attempt with a reduced task, unless an earlier process recorded its output. original is the task's first failure.
func (r *run) retry(ctx context.Context, i int, step *Step, original worker.Failure, reduced worker.Task) (worker.Result, error) {
	if out, done := step.Done[part{reduced.Phase, reduced.Part}]; done {
		if whole := Output(r.Folder, i, reduced.Phase, reduced.Part); whole != "" {
			out = whole
		}
		return worker.Result{Success: true, Failure: worker.Failure{Output: out}}, nil
	}
	if reduced.Part > 0 {
		r.say(reduced, "phase %d goes on with %d characters", reduced.Phase, text.Characters(reduced.Prompt))
	} else {
		pattern, _ := worker.Detect(original)
		r.say(reduced, "%s; phase %d with %d characters", pattern, reduced.Phase, text.Characters(reduced.Prompt))
	}
	return r.attempt(ctx, i, reduced, step)
}

// finish records and returns the outcome of a task. original is its first failure, recovery the result of its retries, and notAsked
// the part of its prompt that was not sent.
func (r *run) finish(ctx context.Context, i int, step *Step, original worker.Failure, recovery worker.Recovery, notAsked string) (Outcome, error) {
	t := r.Tasks[i]
	out := Outcome{
		ID: t.ID, Success: recovery.Result.Success, Recovered: recovery.Recovered, Phase: recovery.Phase, Retries: recovery.Retries, NotAsked: notAsked,
		PartialResults: append([]worker.Partial{}, step.Partial...),
	}
	e := events.WorkFinished{Run: r.Run, Task: t.ID, Success: out.Success, Phase: recovery.Phase}
	var all []events.Event
	if out.Success {
		out.Output = recovery.Result.Output
		e.Result = resultText(out.Output)
		all = append(all, events.WorkEnded{Run: r.Run, Task: t.ID, Phase: recovery.Phase, Part: recovery.Part, Success: true})
	} else {
		out.Error = original.Message
		e.Error = worker.Clip(original.Message)
	}
	if original.Message != "" {
		_, out.ContextLimitError = worker.Detect(original)
	}
	// The outcome is recorded even if ctx has ended meanwhile, because the work is done.
	if err := r.Record(context.WithoutCancel(ctx), append(all, e)...); err != nil {
		return Outcome{}, err
	}
	switch {
	case out.Recovered:
		r.say(t, "recovered in phase %d", out.Phase)
	case out.Success:
		r.say(t, "done")
	default:
		if r.Recover && out.ContextLimitError && out.Phase < worker.MaxPhase {
			r.say(t, "not sent again: no more of it can be left out, a line under %d characters is never cut", worker.LongPrompt)
		}
		r.say(t, "failed: %s", out.Error)
	}
	return out, nil
}

// finished returns the outcome of a task, as an earlier process recorded it.
func (r *run) finished(i int, step *Step) Outcome {
	e := step.Finished
	out := Outcome{
		ID: e.Task, Success: e.Success, Error: e.Error, Recovered: e.Success && e.Phase > 0, Phase: e.Phase, NotAsked: step.NotAsked,
		PartialResults: append([]worker.Partial{}, step.Partial...),
	}
	for reduced := range worker.Phases(r.Tasks[i], r.Language) {
		if reduced.Phase <= e.Phase {
			out.Retries++
		}
	}
	if step.Failed != nil {
		_, out.ContextLimitError = worker.Detect(*step.Failed)
	}
	if !e.Success {
		return out
	}
	var result struct {
		Output string `json:"output"`
	}
	if out.Output = wholeOutput(r.Folder, i, e.Phase); out.Output == "" && json.Unmarshal([]byte(e.Result), &result) == nil {
		out.Output = result.Output
	}
	return out
}

// wholeOutput returns the joined outputs of a task's parts in a phase, empty if there are none.
func wholeOutput(dir string, i, phase int) string {
	var all []string
	for part := 0; ; part++ {
		firstAttempt := attemptBase(dir, i, phase, part, 1)
		if _, err := os.Stat(firstAttempt + outSuffix); err != nil {
			return worker.Join(all)
		}
		all = append(all, Output(dir, i, phase, part))
	}
}

// maxResult bounds the result in an event, in bytes. It is a bound of the JSON, in which one byte of output can take six.
const maxResult = 256 << 10

// resultText returns a worker's result as JSON of at most maxResult bytes. Longer output is cut.
func resultText(output string) string {
	output = worker.Clip(output)
	for {
		b, err := json.Marshal(struct {
			Success bool   `json:"success"`
			Output  string `json:"output"`
		}{true, output})
		if err != nil { // impossible for a flag and a text
			return ""
		}
		if len(b) <= maxResult {
			return string(b)
		}
		output = text.Cut(output, len(output)/4, len(output)/8)
	}
}

// say shows a line about a task to a person.
func (r *run) say(t worker.Task, format string, args ...any) {
	r.Say(t.ID + ": " + fmt.Sprintf(format, args...))
}

// EndOrphans ends the workers that outlived the process of their run, and records that they were interrupted, with their output so
// far. A process is such a worker if it has the recorded id and start time. start and record are Options.Start and Options.Record.
func EndOrphans(ctx context.Context, s Spec, p Progress, folder string, start func(pid int) int64, record func(context.Context, ...events.Event) error) error {
	var groups []int
	for _, t := range s.Tasks {
		if w := p.step(t.ID).Open; w != nil && w.PID > 1 && w.Start != 0 && start(w.PID) == w.Start {
			groups = append(groups, w.PID)
		}
	}
	EndGroups(groups)
	var ended []events.Event
	for i, t := range s.Tasks {
		w := p.step(t.ID).Open
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
