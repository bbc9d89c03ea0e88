package runner

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"journal/events"
	"journal/events/text"
	"journal/journal/disk"
	"journal/journal/worker"
)

// Bounds of a worker's output, in bytes.
const (
	maxOutput  = 64 << 20 // of stdout
	maxMessage = 2 << 10  // of the end of stderr, and of the error or last line on stdout
)

// attempt runs a worker for a task, original or reduced. i is the index of the task. It records the start
// of the attempt and its end, except for a success after which nothing of the task is left: finish records
// that. An error means that the attempt was interrupted, could not be started, or could not be recorded.
func (r *run) attempt(ctx context.Context, i int, t worker.Task, step *Step) (worker.Result, error) {
	if err := ctx.Err(); err != nil {
		return worker.Result{}, err
	}
	w, err := r.prepare(i, t)
	if err != nil {
		return worker.Result{}, err
	}
	defer w.close()
	var recorded []events.Event
	if !step.Started {
		recorded = append(recorded, worker.Started(r.Run, t.ID, t))
	}
	began := events.WorkAttempted{Run: r.Run, Task: t.ID, Phase: t.Phase, Part: t.Part, Length: text.Characters(t.Prompt), NotAsked: worker.ClipNotAsked(t.NotAsked)}
	if err := w.start(); err != nil {
		return worker.Result{}, fmt.Errorf("start a worker: %w", err)
	}
	began.PID, began.Start = w.pid(), r.Start(w.pid())
	r.guard.watch(began.PID)
	defer r.guard.forget(began.PID)
	if err := r.Record(ctx, append(recorded, began)...); err != nil {
		w.kill()
		_ = w.cmd.Wait() // its exit does not matter: the worker has not begun, it waited at the gate
		return worker.Result{}, err
	}
	step.Started = true
	if t.Phase == 0 {
		r.say(t, "started")
	}
	w.open()
	result, interrupted := r.await(ctx, w)
	if result.Success && t.NotAsked == "" {
		return result, nil // finish records it
	}
	if result.Output != "" {
		step.Partial = append(step.Partial, worker.Partial{Phase: t.Phase, Output: result.Output})
	}
	pattern, _ := worker.Detect(result.Failure)
	e := events.WorkEnded{
		Run: r.Run, Task: t.ID, Phase: t.Phase, Part: t.Part, Success: result.Success, Error: worker.Clip(result.Message), Partial: worker.Clip(result.Output), Interrupted: interrupted,
	}
	if !interrupted && !result.Success {
		e.Pattern = pattern
	}
	if err := r.Record(context.WithoutCancel(ctx), e); err != nil {
		return worker.Result{}, err
	}
	if interrupted {
		return worker.Result{}, ctx.Err()
	}
	return result, nil
}

// await waits until the worker ends, its time is up, or ctx ends. In the last two cases it ends the worker. It
// returns the worker's result. interrupted is true if ctx ended first.
func (r *run) await(ctx context.Context, w *process) (result worker.Result, interrupted bool) {
	var late <-chan time.Time
	if r.Timeout > 0 {
		timer := time.NewTimer(r.Timeout)
		defer timer.Stop()
		late = timer.C
	}
	ended := make(chan error, 1)
	go func() { ended <- w.cmd.Wait() }()
	var err error
	timeout := false
	select {
	case err = <-ended:
	case <-late:
		timeout = true
		err = w.end(ended)
	case <-ctx.Done():
		interrupted = true
		err = w.end(ended)
	}
	w.kill() // the processes that are left in the worker's group
	out := readWhole(w.stdout)
	switch {
	case interrupted:
		result.Message = ErrInterrupted.Error()
	case timeout:
		result.Message = fmt.Sprintf("timeout after %v", r.Timeout)
	default:
		reported, isError := agentError(out)
		if err == nil && !isError {
			return worker.Result{Success: true, Failure: worker.Failure{Output: out}}, false
		}
		result.Message = message(err, readEnd(w.stderr), worker.LastLine(out), reported)
	}
	if strings.TrimSpace(out) != "" && !onlyError(out) {
		result.Output = out
	}
	return result, interrupted
}

// agentError returns the error in the last line of an agent's output. The line counts if it is a result in JSON with is_error:
// some agents exit with 0 after such a result. isError is false for any other output.
func agentError(out string) (reported string, isError bool) {
	line := worker.LastLine(out)
	var result struct {
		IsError bool `json:"is_error"`
	}
	if !strings.HasPrefix(line, "{") || json.Unmarshal([]byte(line), &result) != nil || !result.IsError {
		return "", false
	}
	f, _, err := worker.ReadFailure([]byte(line))
	return f.Message, err == nil
}

// onlyError reports whether a worker's output is a single line, which reports a full context.
func onlyError(out string) bool {
	out = strings.TrimSpace(out)
	if strings.Contains(out, "\n") {
		return false
	}
	_, isFull := worker.Detect(worker.Failure{Message: out})
	return isFull
}

// message describes how a worker failed: by its exit, by the end of its stderr, and by the error that an agent reported. Without
// such an error it has the last line of stdout, where an agent in print mode reports a full context.
func message(err error, stderr, last, reported string) string {
	exit := ""
	if err != nil {
		exit = err.Error()
	}
	last = strings.TrimSpace(cmp.Or(reported, last))
	parts := []string{exit, strings.TrimSpace(stderr), last[:text.Before(last, maxMessage)]}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ": ")
}

// readWhole returns up to maxOutput bytes of a file, empty if it cannot be read.
func readWhole(path string) string {
	f, _, err := disk.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	b, _ := io.ReadAll(io.LimitReader(f, maxOutput)) // the output before an error counts
	return strings.ToValidUTF8(string(b), "�")
}

// readEnd returns the last maxMessage bytes of a file, from a whole character on, empty if it cannot be read.
func readEnd(path string) string {
	b, whole, err := disk.ReadEnd(path, maxMessage)
	if err != nil {
		return ""
	}
	if !whole {
		b = b[text.RuneAfter(b, 0):]
	}
	return strings.TrimSpace(strings.ToValidUTF8(string(b), "�"))
}
