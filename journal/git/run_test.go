//go:build unix

package git

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"journal/cmd/testkit/testutil"
	"journal/events"
)

// fake puts a script in place of git on the PATH.
func fake(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// TestObserveKills: a git that hangs is dead when Observe returns, with its children. Observe gets more time until a git has
// begun, for a busy machine.
func TestObserveKills(t *testing.T) {
	pids := t.TempDir()
	fake(t, "sleep 1000 & echo $! >"+pids+"/$$\nwait\n")
	ran := false
	for wait := 500 * time.Millisecond; !ran && wait < time.Minute; wait *= 2 {
		if s, ok := Observe(context.Background(), t.TempDir(), wait); ok {
			t.Errorf("a git that hangs reports %+v", s)
		}
		files, err := os.ReadDir(pids)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			b, _ := os.ReadFile(filepath.Join(pids, f.Name()))
			pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
			if err != nil {
				continue // it was killed before it wrote its id
			}
			ran = true
			testutil.Eventually(t, "a child of git is dead", func() bool { return gone(pid) })
		}
	}
	if !ran {
		t.Error("no git ran")
	}
}

// TestLookKilled: a git that was killed is an error: its repository does not count as none, or as one without an address.
func TestLookKilled(t *testing.T) {
	for _, dies := range []string{"rev-parse", "config", "rev-list"} {
		fake(t, `case "$*" in
*`+dies+`*) kill -9 $$;;
*rev-parse*) echo true; echo false;;
*config*) echo git@acme.org:web.git;;
*) exit 128;;
esac
`)
		if id, err := Identify(t.Context(), t.TempDir()); err == nil {
			t.Errorf("%s is killed, and the repository is %+v", dies, id)
		}
	}
}

// gone reports whether a process has ended, perhaps as a zombie.
func gone(pid int) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) || strings.Contains(string(b), ") Z ")
}

// TestObserveUnknown: when the status takes too long, the rest of the state is returned. Observe gets more time until git
// answered the rest, for a busy machine.
func TestObserveUnknown(t *testing.T) {
	fake(t, `for a; do case $a in
rev-parse) printf '/p\n/p/.git/worktrees/x\n'; exit;;
symbolic-ref) echo side; exit;;
log) printf 'a1b2 Begin\n'; exit;;
status) sleep 1000; exit;;
esac; done
`)
	var s events.GitObserved
	ok := false
	for wait := StateWait; len(s.Commits) == 0 && wait < time.Minute; wait *= 2 {
		s, ok = Observe(context.Background(), t.TempDir(), wait)
	}
	if !ok || !s.Unknown || !s.Worktree || s.Branch != "side" || len(s.Commits) != 1 || s.Commits[0].Subject != "Begin" {
		t.Errorf("%+v %t", s, ok)
	}
}

// TestObserveHeldPipe: git's output counts although a child of it has the pipe open for a moment.
func TestObserveHeldPipe(t *testing.T) {
	fake(t, `for a; do case $a in
rev-parse) printf '/p\n/p/.git\n'; exit;;
symbolic-ref) echo side; sleep 0.3 & exit;;
log|status) exit;;
esac; done
`)
	if s, ok := Observe(context.Background(), t.TempDir(), time.Minute); !ok || s.Branch != "side" {
		t.Errorf("%+v %t", s, ok)
	}
}

// TestObserveUnknownBranch: if git could not tell the branch, the state is not one without a branch.
func TestObserveUnknownBranch(t *testing.T) {
	for _, exit := range []struct {
		code string
		ok   bool
	}{{"1", true}, {"128", false}} {
		fake(t, `for a; do case $a in
rev-parse) printf '/p\n/p/.git\n'; exit;;
symbolic-ref) exit `+exit.code+`;;
esac; done
`)
		if s, ok := Observe(context.Background(), t.TempDir(), time.Minute); ok != exit.ok || s.Branch != "" {
			t.Errorf("exit %s: %+v %t", exit.code, s, ok)
		}
	}
}

// TestObserveBounds: the number of changes is bounded, and those of a renamed file are one.
func TestObserveBounds(t *testing.T) {
	fake(t, `for a; do case $a in
rev-parse) printf '/p\n/p/.git\n'; exit;;
status) printf '## a...origin/a [ahead 2, behind 1]\0'; i=0; while [ $i -lt 100 ]; do printf '?? f%d\0' $i; i=$((i+1)); done; printf 'R  new\0old\0'; exit;;
esac; done
exit 1
`)
	s, ok := Observe(context.Background(), t.TempDir(), time.Minute)
	if !ok || s.Unknown || len(s.Changes) != maxChanges || s.More != 101-maxChanges || s.Changes[1] != (events.GitChange{State: "??", Path: "f1"}) {
		t.Errorf("%d changes, %d more, %+v", len(s.Changes), s.More, s.Changes[:2])
	}
	if s.Upstream != "origin/a" || s.Ahead != 2 || s.Behind != 1 {
		t.Errorf("upstream %q, %d ahead, %d behind", s.Upstream, s.Ahead, s.Behind)
	}
}

// TestOutputIsBounded: output beyond the limit is an error, with the output up to the limit.
func TestOutputIsBounded(t *testing.T) {
	fake(t, "yes\n")
	out, err := Output(context.Background(), t.TempDir(), 10, "log")
	if !errors.Is(err, ErrLong) || out != "y\ny\ny\ny\ny\n" {
		t.Errorf("%q, %v", out, err)
	}
}

// TestGuards: variables that lead git elsewhere, or make it run another program, do not reach it.
func TestGuards(t *testing.T) {
	t.Setenv("GIT_DIR", "/elsewhere")
	t.Setenv("GIT_EXTERNAL_DIFF", "x")
	fake(t, "echo \"$*\"; env\n")
	out, err := Output(context.Background(), t.TempDir(), 1<<20, "status")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"--no-optional-locks", "core.fsmonitor=false", "LC_ALL=C\n", "GIT_TERMINAL_PROMPT=0"} {
		if !strings.Contains(out+"\n", want) {
			t.Errorf("git runs without %s", want)
		}
	}
	if strings.Contains(out, "GIT_DIR=") || strings.Contains(out, "GIT_EXTERNAL_DIFF") {
		t.Error("git got GIT_DIR or GIT_EXTERNAL_DIFF")
	}
}
