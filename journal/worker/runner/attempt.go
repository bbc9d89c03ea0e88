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
	maxOutput  = 64 << 20 // of a result
	maxMessage = 2 << 10  // of the end of an error
)

// attempt runs a worker on a task, original or reduced. The error means that the attempt was
// interrupted, or that its steps could not be recorded.
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
		_ = w.cmd.Wait() // it never began
		return worker.Result{}, err
	}
	step.Started = true
	if t.Phase == 0 {
		r.note(t, "started")
	}
	w.open()
	result, interrupted := r.await(ctx, w)
	if result.Success && t.NotAsked == "" {
		return result, nil // recorded with the outcome
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

// await returns the result of a worker when it ends, its time is up, or the run ends.
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
	w.kill() // processes that it left in its group
	out := readWhole(w.out)
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
		result.Message = message(err, readEnd(w.errs), worker.LastLine(out), reported)
	}
	if strings.TrimSpace(out) != "" && !onlyError(out) {
		result.Output = out
	}
	return result, interrupted
}

// agentError reads the last line of an agent's output if it is a result in JSON: some agents exit with 0 although
// is_error is set.
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

// onlyError reports whether a worker wrote nothing but the message of its failure.
func onlyError(out string) bool {
	out = strings.TrimSpace(out)
	if strings.Contains(out, "\n") {
		return false
	}
	_, full := worker.Detect(worker.Failure{Message: out})
	return full
}

// message describes how a worker failed: its exit, and its last message. An agent in print mode
// reports a full context on stdout.
func message(err error, errs, last, reported string) string {
	exit := ""
	if err != nil {
		exit = err.Error()
	}
	last = strings.TrimSpace(cmp.Or(reported, last))
	parts := []string{exit, strings.TrimSpace(errs), last[:text.Before(last, maxMessage)]}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ": ")
}

// readWhole returns the content of a file, empty if it cannot be read.
func readWhole(path string) string {
	f, _, err := disk.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	b, _ := io.ReadAll(io.LimitReader(f, maxOutput)) // the output before an error counts
	return strings.ToValidUTF8(string(b), "�")
}

// readEnd returns the end of a file of any length.
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
