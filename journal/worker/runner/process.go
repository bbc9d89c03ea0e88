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

// process is the process of a worker, for one attempt at a task.
type process struct {
	cmd            *exec.Cmd
	stdout, stderr string     // paths
	gate           *os.File   // a byte written to it opens the gate
	files          []*os.File // that close closes
}

// prepare makes the files and the command of an attempt. i is the index of the task. The files have numbers as names, because the
// name of a task may be any text. After an error it has closed the files.
func (r *run) prepare(i int, t worker.Task) (w *process, err error) {
	w = &process{}
	defer func() {
		if err != nil {
			w.close()
		}
	}()
	base, stdout, err := r.newFile(i, t)
	if err != nil {
		return w, err
	}
	w.files = append(w.files, stdout)
	w.stdout, w.stderr = base+outSuffix, base+".err"
	stderr, err := w.create(w.stderr)
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
	gateReader, gate, err := os.Pipe()
	if err != nil {
		return w, err
	}
	w.gate, w.files = gate, append(w.files, gateReader)
	w.cmd = exec.Command(r.Self, append([]string{"work", "gate", "--"}, argv...)...)
	w.cmd.Dir, w.cmd.Stdout, w.cmd.Stderr, w.cmd.ExtraFiles = r.Spec.Dir, stdout, stderr, []*os.File{gateReader}
	if stdin {
		w.cmd.Stdin = f
	}
	return w, nil
}

// outSuffix ends the names of files with the output of workers.
const outSuffix = ".out"

// newFile makes the file for the output of a new attempt. base is the path of the file without the suffix.
func (r *run) newFile(i int, t worker.Task) (base string, f *os.File, err error) {
	for n := 1; ; n++ {
		base = attemptBase(r.Folder, i, t.Phase, t.Part, n)
		f, err = os.OpenFile(base+outSuffix, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
		if !errors.Is(err, os.ErrExist) {
			return base, f, err
		}
	}
}

// attemptBase returns the path of the files of an attempt, without a suffix. The name has i, the index of the task, the phase, the
// part if it is not 0, and n, the number of the attempt from 1.
func attemptBase(dir string, i, phase, part, n int) string {
	name := strconv.Itoa(i) + "." + strconv.Itoa(phase)
	if part > 0 {
		name += "-" + strconv.Itoa(part)
	}
	return filepath.Join(dir, name+"."+strconv.Itoa(n))
}

// Output returns the output of the newest attempt at a part of a task in a phase, empty if there is none. dir is the folder of the
// run, and i the index of the task.
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

// create makes an empty file for reading and writing, which close closes.
func (w *process) create(path string) (*os.File, error) {
	f, err := disk.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	w.files = append(w.files, f)
	return f, nil
}

// pid returns the id of the worker's process, which is also that of its group.
func (w *process) pid() int { return w.cmd.Process.Pid }

// start starts the worker in a group of its own. The worker waits at its gate.
func (w *process) start() error {
	ownGroup(w.cmd)
	return w.cmd.Start()
}

// open lets the worker begin.
func (w *process) open() {
	_, _ = w.gate.Write([]byte{1}) // after an error the worker has ended, and await returns its result
	w.gate.Close()
}

// close closes the gate and the files of the attempt.
func (w *process) close() {
	if w.gate != nil {
		w.gate.Close()
	}
	for _, f := range w.files {
		f.Close()
	}
}

// Grace is the time that a process group has to end, when it was asked to, before it is killed.
const Grace = time.Second

// end ends the worker's group, waits until ended delivers the error of the worker's exit, and returns that error.
func (w *process) end(ended <-chan error) error {
	EndGroups([]int{w.pid()})
	return <-ended
}

// kill kills the worker's group.
func (w *process) kill() { signalGroup(w.pid(), true) }
