package runner

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"journal/journal/disk"
	"journal/journal/worker"
)

// process is a worker: one attempt.
type process struct {
	cmd       *exec.Cmd
	out, errs string // paths
	gate      *os.File
	files     []*os.File
}

// prepare makes the files of an attempt. Their names are numbers: names of tasks are data.
func (r *run) prepare(i int, t worker.Task) (w *process, err error) {
	w = &process{}
	defer func() {
		if err != nil {
			w.close()
		}
	}()
	base, out, err := r.newFile(i, t)
	if err != nil {
		return w, err
	}
	w.files = append(w.files, out)
	w.out, w.errs = base+outSuffix, base+".err"
	errs, err := w.create(w.errs)
	if err != nil {
		return w, err
	}
	prompt := input(t)
	promptFile := base + ".prompt"
	f, err := w.create(promptFile)
	if err != nil {
		return w, err
	}
	if _, err := f.WriteString(prompt); err != nil {
		return w, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
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

// newFile makes the output file of a new attempt, named by task, phase, part and number of the attempt.
func (r *run) newFile(i int, t worker.Task) (base string, f *os.File, err error) {
	for n := 1; ; n++ {
		base = attemptBase(r.Folder, i, t.Phase, t.Part, n)
		f, err = os.OpenFile(base+outSuffix, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
		if !errors.Is(err, os.ErrExist) {
			return base, f, err
		}
	}
}

func attemptBase(dir string, i, phase, part, n int) string {
	name := strconv.Itoa(i) + "." + strconv.Itoa(phase)
	if part > 0 {
		name += "-" + strconv.Itoa(part)
	}
	return filepath.Join(dir, name+"."+strconv.Itoa(n))
}

// Output returns the output of the newest attempt at a part of a task in a phase, by the task's place in the run.
func Output(dir string, i, phase, part int) string {
	path := ""
	for n := 1; ; n++ {
		next := attemptBase(dir, i, phase, part, n) + outSuffix
		if _, err := os.Stat(next); err != nil {
			return readWhole(path)
		}
		path = next
	}
}

func (w *process) create(path string) (*os.File, error) {
	f, err := disk.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	w.files = append(w.files, f)
	return f, nil
}

func (w *process) pid() int { return w.cmd.Process.Pid }

// start starts the worker, at its gate.
func (w *process) start() error {
	ownGroup(w.cmd)
	return w.cmd.Start()
}

// open lets the worker begin.
func (w *process) open() {
	_, _ = w.gate.Write([]byte{1}) // waiting shows whether the worker is dead
	w.gate.Close()
}

func (w *process) close() {
	if w.gate != nil {
		w.gate.Close()
	}
	for _, f := range w.files {
		f.Close()
	}
}

// Grace is the time that a process group has to end after it was asked to.
const Grace = time.Second

// end asks the worker's group to end, and then kills it.
func (w *process) end(ended <-chan error) error {
	EndGroups([]int{w.pid()})
	return <-ended
}

// kill kills the worker's group.
func (w *process) kill() { signalGroup(w.pid(), true) }
