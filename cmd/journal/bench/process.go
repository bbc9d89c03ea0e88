package main

import (
	"fmt"
	"os"
	"time"
)

// process is a program to start.
type process struct {
	path string
	args []string
	env  []string // all of it
}

// run starts the process and waits for its end. The time is that of its parent:
// from before the start until the wait returned. Its streams are files, so that
// nothing of ours has to copy while it runs. Anything but exit code 0 is an error.
func (p process) run(stdin, stdout *os.File) (time.Duration, error) {
	attr := &os.ProcAttr{Env: p.env, Files: []*os.File{stdin, stdout, stdout}}
	argv := append([]string{p.path}, p.args...)
	began := time.Now()
	child, err := os.StartProcess(p.path, argv, attr)
	if err != nil {
		return 0, fmt.Errorf("start %s: %w", p.path, err)
	}
	state, err := child.Wait()
	took := time.Since(began)
	if err != nil {
		return 0, fmt.Errorf("wait for %s: %w", p.path, err)
	}
	if !state.Success() {
		return 0, fmt.Errorf("%s %v: %v", p.path, p.args, state)
	}
	return took, nil
}
