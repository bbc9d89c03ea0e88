package runner

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"journal/events"
	"journal/events/text"
	"journal/journal/work"
)

// Bounds of what is read of a worker's output, in bytes.
const (
	maxOutput  = 64 << 20 // of a result
	maxMessage = 2 << 10  // of the end of an error
)

// attempt has a worker do a task, as it was given or reduced. The error is for an attempt that was
// interrupted, or whose steps could not be recorded.
func (r *run) attempt(ctx context.Context, i int, t work.Task, step *Step) (work.Result, error) {
	if err := ctx.Err(); err != nil {
		return work.Result{}, err
	}
	w, err := r.prepare(i, t)
	if err != nil {
		return work.Result{}, err
	}
	defer w.close()
	var told []events.Event
	if !step.Started {
		told = append(told, work.Started(r.Run, t.ID, t))
	}
	began := events.WorkAttempted{Run: r.Run, Task: t.ID, Phase: t.Phase, Length: text.Characters(t.Prompt)}
	if err := w.start(); err != nil {
		return work.Result{}, fmt.Errorf("start a worker: %w", err)
	}
	began.PID, began.Start = w.pid(), r.Start(w.pid())
	r.guard.watch(began.PID)
	defer r.guard.forget(began.PID)
	if err := r.Record(ctx, append(told, began)...); err != nil {
		w.kill()
		_ = w.cmd.Wait() // it never began
		return work.Result{}, err
	}
	step.Started = true
	if t.Phase == 0 {
		r.say(t, "started")
	}
	w.open()
	result, interrupted := r.await(ctx, w)
	if result.Success {
		return result, nil // it is recorded with the outcome
	}
	if result.Output != "" {
		step.Partial = append(step.Partial, work.Partial{Phase: t.Phase, Output: result.Output})
	}
	pattern, _ := work.Detect(result.Failure)
	e := events.WorkEnded{
		Run: r.Run, Task: t.ID, Phase: t.Phase, Error: work.Clip(result.Message), Partial: work.Clip(result.Output), Interrupted: interrupted,
	}
	if !interrupted {
		e.Pattern = pattern
	}
	if err := r.Record(context.WithoutCancel(ctx), e); err != nil {
		return work.Result{}, err
	}
	if interrupted {
		return work.Result{}, ctx.Err()
	}
	return result, nil
}

// await gives what came of a worker: when it ends, its time is up, or the run is.
func (r *run) await(ctx context.Context, w *worker) (result work.Result, interrupted bool) {
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
	w.kill() // what it left behind in its group
	out := readWhole(w.out)
	switch {
	case interrupted:
		result.Message = ErrInterrupted.Error()
	case timeout:
		result.Message = fmt.Sprintf("timeout after %v", r.Timeout)
	default:
		told, isError := agentError(out)
		if err == nil && !isError {
			return work.Result{Success: true, Failure: work.Failure{Output: out}}, false
		}
		result.Message = message(err, readEnd(w.errs), lastLine(out), told)
	}
	if strings.TrimSpace(out) != "" && !onlyError(out) {
		result.Output = out
	}
	return result, interrupted
}

// agentError reads the last line of an agent's output in JSON, when it is a result: some agents end
// with 0 though it says is_error.
func agentError(out string) (told string, isError bool) {
	line := lastLine(out)
	var result struct {
		IsError bool `json:"is_error"`
	}
	if !strings.HasPrefix(line, "{") || json.Unmarshal([]byte(line), &result) != nil || !result.IsError {
		return "", false
	}
	f, _, err := work.ReadFailure([]byte(line))
	return f.Message, err == nil
}

// onlyError says whether all that a worker wrote is the message of its failure.
func onlyError(out string) bool {
	out = strings.TrimSpace(out)
	if strings.Contains(out, "\n") {
		return false
	}
	_, full := work.Detect(work.Failure{Message: out})
	return full
}

// message says how a worker failed: how it ended, and what it said last. An agent in print mode
// tells of a full context on stdout.
func message(err error, errs, last, told string) string {
	var parts []string
	if err != nil {
		parts = append(parts, err.Error())
	}
	if errs = strings.TrimSpace(errs); errs != "" {
		parts = append(parts, errs)
	}
	if told != "" {
		last = told
	}
	if last = strings.TrimSpace(last); last != "" {
		parts = append(parts, last[:text.Before(last, maxMessage)])
	}
	return strings.Join(parts, ": ")
}

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}

// worker is a process that does one attempt.
type worker struct {
	cmd       *exec.Cmd
	out, errs string // paths
	gate      *os.File
	files     []*os.File
}

// prepare makes the files of an attempt. Their names are numbers: names of tasks are data.
func (r *run) prepare(i int, t work.Task) (w *worker, err error) {
	w = &worker{}
	defer func() {
		if err != nil {
			w.close()
		}
	}()
	base, out, err := r.newFile(i, t.Phase)
	if err != nil {
		return w, err
	}
	w.files = append(w.files, out)
	w.out, w.errs = base+outSuffix, base+".err"
	errs, err := w.create(w.errs)
	if err != nil {
		return w, err
	}
	prompt := sent(t)
	promptFile := base + ".prompt"
	f, err := w.create(promptFile)
	if err == nil {
		_, err = f.WriteString(prompt)
	}
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return w, err
	}
	argv, stdin, err := r.command(t, prompt, promptFile)
	if err != nil {
		return w, err
	}
	shut, gate, err := os.Pipe()
	if err != nil {
		return w, err
	}
	w.gate, w.files = gate, append(w.files, shut)
	w.cmd = exec.Command(r.Self, append([]string{"work", "gate", "--"}, argv...)...)
	w.cmd.Dir, w.cmd.Stdout, w.cmd.Stderr, w.cmd.ExtraFiles = r.Spec.Dir, out, errs, []*os.File{shut}
	if stdin {
		w.cmd.Stdin = f
	}
	return w, nil
}

const outSuffix = ".out"

// newFile makes the file of the output of a new attempt: task, phase, and how many there were.
func (r *run) newFile(i, phase int) (base string, f *os.File, err error) {
	for n := 1; ; n++ {
		base = attemptBase(r.Folder, i, phase, n)
		f, err = os.OpenFile(base+outSuffix, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
		if !errors.Is(err, os.ErrExist) {
			return base, f, err
		}
	}
}

func attemptBase(dir string, i, phase, n int) string {
	return filepath.Join(dir, strconv.Itoa(i)+"."+strconv.Itoa(phase)+"."+strconv.Itoa(n))
}

// Output gives what the newest attempt at a task, by its place in the run, wrote in a phase.
func Output(dir string, i, phase int) string {
	path := ""
	for n := 1; ; n++ {
		next := attemptBase(dir, i, phase, n) + outSuffix
		if _, err := os.Stat(next); err != nil {
			return readWhole(path)
		}
		path = next
	}
}

func (w *worker) create(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_RDWR, 0o600)
	if err == nil {
		w.files = append(w.files, f)
	}
	return f, err
}

func (w *worker) pid() int { return w.cmd.Process.Pid }

// start starts the worker, at its gate.
func (w *worker) start() error {
	ownGroup(w.cmd)
	return w.cmd.Start()
}

// open lets the worker begin.
func (w *worker) open() {
	_, _ = w.gate.Write([]byte{1}) // one that is dead already is found by waiting
	w.gate.Close()
}

func (w *worker) close() {
	if w.gate != nil {
		w.gate.Close()
	}
	for _, f := range w.files {
		f.Close()
	}
}

// Grace is how long a process group has to end by itself when it is asked to.
const Grace = time.Second

// end asks the worker's group to end, and makes it.
func (w *worker) end(ended <-chan error) error {
	signalGroup(w.pid(), false)
	timer := time.NewTimer(Grace)
	defer timer.Stop()
	select {
	case err := <-ended:
		return err
	case <-timer.C:
		w.kill()
		return <-ended
	}
}

// kill ends what is in the worker's group.
func (w *worker) kill() { signalGroup(w.pid(), true) }

// readWhole gives what is in a file; what cannot be read is not there.
func readWhole(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxOutput))
	if err != nil && len(b) == 0 {
		return ""
	}
	return strings.ToValidUTF8(string(b), "�")
}

// readEnd gives the end of a file.
func readEnd(path string) string {
	b := []byte(readWhole(path))
	if len(b) > maxMessage {
		b = b[text.RuneAfter(b, len(b)-maxMessage):]
	}
	return string(bytes.TrimSpace(b))
}
