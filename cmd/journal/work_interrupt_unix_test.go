//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"journal/cmd/journal/cli"
	"journal/cmd/testkit/testutil"

	"golang.org/x/sys/unix"
)

// slowRun is a run of one worker that writes something and then waits until a file is there.
type slowRun struct {
	*world
	project string
	runner  *exec.Cmd
	errOut  *bytes.Buffer
}

func startSlowRun(t *testing.T) *slowRun {
	t.Helper()
	r := &slowRun{world: newWorld(t), project: t.TempDir(), errOut: &bytes.Buffer{}}
	worker := "echo $$ > pid.tmp; mv pid.tmp pid\necho 절반; while ! [ -e go ]; do sleep 0.01; done; echo whole\n"
	for name, text := range map[string]string{"worker.sh": worker, "tasks.json": `{"id": "slow", "prompt": "p"}`} {
		if err := os.WriteFile(filepath.Join(r.project, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r.runner = r.command("work", "run", "tasks.json", "--command", "sh worker.sh")
	r.runner.Dir, r.runner.Stderr = r.project, r.errOut
	if err := r.runner.Start(); err != nil {
		t.Fatal(err)
	}
	return r
}

// worker waits until the worker is at work and gives its pid.
func (r *slowRun) worker() (pid int) {
	r.Helper()
	path := filepath.Join(r.project, "pid")
	testutil.Eventually(r, "the worker began", func() bool {
		b, err := os.ReadFile(path)
		pid, _ = strconv.Atoi(strings.TrimSpace(string(b)))
		return err == nil
	})
	if err := os.Remove(path); err != nil {
		r.Fatal(err)
	}
	return pid
}

// state is what journal work status says of the task.
func (r *slowRun) state() (s struct {
	MayRunTwice    bool
	PartialResults []struct{ Output string }
	Timestamps     struct{ Completed *string }
}) {
	r.Helper()
	out, errOut, code := r.runIn(r.project, "work", "status", "slow", "--json")
	if err := json.Unmarshal([]byte(out), &s); err != nil || code != cli.ExitOK {
		r.Fatalf("status ends with %d, %v: %s", code, err, errOut)
	}
	return s
}

// resumed resumes the run, lets the new worker end, and looks at what came of it.
func (r *slowRun) resumed() {
	r.Helper()
	resume := r.command("work", "resume")
	var out, errOut bytes.Buffer
	resume.Dir, resume.Stdout, resume.Stderr = r.project, &out, &errOut
	if err := resume.Start(); err != nil {
		r.Fatal(err)
	}
	r.worker()
	if err := os.WriteFile(filepath.Join(r.project, "go"), nil, 0o600); err != nil {
		r.Fatal(err)
	}
	if err := resume.Wait(); err != nil || !strings.Contains(out.String(), "== slow\n절반\nwhole\n") {
		r.Fatalf("resume ends with %v: %s%s", err, &out, &errOut)
	}
	s := r.state()
	if s.MayRunTwice || s.Timestamps.Completed == nil || len(s.PartialResults) != 1 || s.PartialResults[0].Output != "절반\n" {
		r.Errorf("after it: %+v", s)
	}
}

// A person interrupts a run: its worker is ended and recorded as interrupted, with what it had
// written. Nothing runs twice unknown; resume goes on (S4.7).
func TestS4_7Interrupted(t *testing.T) {
	t.Parallel()
	r := startSlowRun(t)
	pid := r.worker()
	if out, errOut, code := r.runIn(r.project, "work", "resume"); code != cli.ExitError || !strings.Contains(errOut, "is at work") {
		t.Errorf("resume beside the runner ends with %d: %s%s", code, out, errOut)
	}
	if s := r.state(); s.MayRunTwice {
		t.Errorf("a runner watches, and there is %+v", s)
	}
	if err := r.runner.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := r.runner.Wait(); err == nil || !strings.Contains(r.errOut.String(), "try: journal work resume ") {
		t.Errorf("%v: %s", err, r.errOut)
	}
	if unix.Kill(pid, 0) == nil {
		t.Error("the worker lives")
	}
	if s := r.state(); s.MayRunTwice || s.Timestamps.Completed != nil || len(s.PartialResults) != 1 {
		t.Errorf("after the interruption: %+v", s)
	}
	r.resumed()
}

// Runner and guardian die at once: the worker lives on. Status says that it may run twice, and resume
// ends it first (S4.7).
func TestS4_7NobodyWatches(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("ps"); err != nil {
		t.Skip("there is no ps")
	}
	r := startSlowRun(t)
	pid := r.worker()
	// Stopped, the runner starts no other guardian.
	_ = unix.Kill(r.runner.Process.Pid, unix.SIGSTOP)
	for _, p := range processes(t) {
		if p.parent == r.runner.Process.Pid && strings.Contains(p.args, "work guard") {
			_ = unix.Kill(p.pid, unix.SIGKILL)
		}
	}
	_ = r.runner.Process.Kill()
	_ = r.runner.Wait()
	if unix.Kill(pid, 0) != nil {
		t.Fatal("the worker is dead")
	}
	if s := r.state(); !s.MayRunTwice {
		t.Errorf("nobody watches, and there is %+v", s)
	}
	out, _, _ := r.runIn(r.project, "work", "status")
	if !strings.Contains(out, "may run it twice") {
		t.Errorf("status says %s", out)
	}
	r.resumed()
	for _, p := range processes(t) {
		if p.pid == pid && !strings.HasPrefix(p.state, "Z") {
			t.Errorf("there is still %+v", p)
		}
	}
}

// Secrets in what a run writes are replaced when it has ended: until then its worker writes on into the file.
func TestForgetSecretsOfARun(t *testing.T) {
	t.Parallel()
	r := startSlowRun(t)
	r.worker()
	secret := "ghp_" + strings.Repeat("Ab3", 12)
	outputs, err := filepath.Glob(filepath.Join(r.dir, "work", "*", "0.0.1.out"))
	if err != nil || len(outputs) != 1 {
		t.Fatalf("%q, %v", outputs, err)
	}
	f, err := os.OpenFile(outputs[0], os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(secret + "\n")
	}
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	if _, errOut, code := r.run("", "forget", "--secrets", "--yes"); code != cli.ExitError || !strings.Contains(errOut, "is at work") {
		t.Errorf("beside the run it ends with %d: %s", code, errOut)
	}
	if err := os.WriteFile(filepath.Join(r.project, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := r.runner.Wait(); err != nil {
		t.Errorf("%v: %s", err, r.errOut)
	}
	if b, err := os.ReadFile(outputs[0]); err != nil || !strings.HasSuffix(string(b), "whole\n") {
		t.Errorf("the output is %q, %v", b, err)
	}
	if _, errOut, code := r.run("", "forget", "--secrets", "--yes"); code != cli.ExitOK || fileWith(t, r.dir, secret) != "" {
		t.Errorf("behind the run it ends with %d: %s", code, errOut)
	}
}
