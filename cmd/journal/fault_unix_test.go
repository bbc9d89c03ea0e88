//go:build unix

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"journal/cmd/journal/cli"
	"journal/cmd/testkit/testutil"
	"journal/journal/hookrun"
	"journal/journal/wire/client"
)

// faultVariable names, in the environment of a re-executed test binary, the
// fault that the process shall have as a hook.
const faultVariable = "JOURNAL_TEST_FAULT"

// faults are the ways in which a Go program breaks, each with the words that the
// runtime has for it. Only the first can be recovered from.
var faults = map[string]struct {
	happen func()
	words  string
}{
	"panic":           {func() { panic("a panic of the hook itself") }, "a panic of the hook itself"},
	"goroutine":       {func() { go panic("a panic beside the hook"); select {} }, "a panic beside the hook"},
	"stack overflow":  {func() { _ = endless(1) }, "stack overflow"},
	"map race":        {writeAtOnce, "concurrent map"},
	"out of memory":   {takeAllMemory, "out of memory"},
	"nil dereference": {func() { var p *cli.App; p.Dir = "" }, "nil pointer"},
}

func init() { children[faultVariable] = hookWithFault }

// hookWithFault is a hook process in which a fault happens while its event is
// being handed over. It is the code of both programs.
func hookWithFault(name string) {
	a := cli.NewApp()
	a.Pace = pace
	e := a.HookEnv()
	appender := e.Appender
	e.Appender = func() *client.Appender {
		faults[name].happen()
		return appender()
	}
	hookrun.Hook(e, []string{"claude"})
}

func endless(n int) int {
	if n < 0 {
		return 0
	}
	return endless(n+1) + n
}

func writeAtOnce() {
	m := map[int]int{}
	write := func() {
		for i := 0; ; i++ {
			m[i%16]++
		}
	}
	go write()
	write()
}

func takeAllMemory() {
	limit := unix.Rlimit{Cur: 2 << 30, Max: 2 << 30}
	if err := unix.Setrlimit(unix.RLIMIT_AS, &limit); err != nil {
		panic(err)
	}
	for kept := [][]byte{}; ; {
		kept = append(kept, make([]byte, 64<<20))
	}
}

// ADR-0005: whatever breaks in a hook, the agent neither takes it for "block
// this" (exit code 2) nor gets half a document, and nobody's disk fills up with
// core files. What can be caught keeps the event.
func TestFaultsDoNotBlock(t *testing.T) {
	t.Parallel()
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "out of memory" && (runtime.GOOS != "linux" || racing) {
				t.Skip("the limit on memory does not hold here")
			}
			if name == "map race" && racing {
				t.Skip("the race detector ends the process first")
			}
			w := newWorld(t)
			w.hook(prompt("before", "the directory exists"))
			c := exec.Command(os.Args[0])
			c.Env = append(w.env, faultVariable+"="+name, "GOTRACEBACK=all")
			c.Dir = t.TempDir()
			var out, errOut bytes.Buffer
			c.Stdin, c.Stdout, c.Stderr = strings.NewReader(prompt("s1", "kept if it can be")), &out, &errOut
			err := c.Run()
			if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			state := c.ProcessState.Sys().(interface {
				CoreDump() bool
				Exited() bool
			})
			caught := name == "panic" || name == "nil dereference"
			if code := c.ProcessState.ExitCode(); caught && code != cli.ExitOK || !caught && state.Exited() {
				t.Errorf("the hook ends with %v", c.ProcessState)
			}
			if state.CoreDump() {
				t.Error("a core was dumped")
			}
			if cores, _ := filepath.Glob(filepath.Join(c.Dir, "*core*")); len(cores) > 0 {
				t.Errorf("core files: %q", cores)
			}
			if out.Len() > 0 || errOut.Len() > 0 {
				t.Errorf("stdout %q, stderr %q", &out, &errOut)
			}
			if !strings.Contains(w.logFile(), fault.words) {
				t.Errorf("no %q in the log file:\n%s", fault.words, w.logFile())
			}
			if got := len(w.events("--type", "prompt.submitted", "--session", "before")); got != 1 {
				t.Errorf("%d of 1 events of an earlier hook", got)
			}
			if caught && len(w.prompts()) != 2 {
				t.Errorf("the event of a caught panic is lost: %q", w.prompts())
			}
		})
	}
}

// The same of the programs as they are built, of a fault that can be had on demand:
// while they wait for an owner that says nothing.
func TestFaultsOfBothPrograms(t *testing.T) {
	t.Parallel()
	for name, command := range map[string]func(w *world) *exec.Cmd{
		"journal hook": func(w *world) *exec.Cmd { return w.command("hook", "claude") },
		"journal-hook": func(w *world) *exec.Cmd { return w.hooks(claude...) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newHome(t)
			door := w.hangs()
			c := command(w)
			var out, errOut bytes.Buffer
			c.Stdin, c.Stdout, c.Stderr = strings.NewReader(prompt("s1", "")), &out, &errOut
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			visitor, err := door.Accept()
			if err != nil {
				t.Fatal(err)
			}
			defer visitor.Close()
			if err := c.Process.Signal(unix.SIGQUIT); err != nil {
				t.Fatal(err)
			}
			err = c.Wait()
			state := c.ProcessState.Sys().(interface{ Exited() bool })
			if err == nil || state.Exited() || out.Len() > 0 || errOut.Len() > 0 {
				t.Errorf("the hook ends with %v, stdout %q, stderr %q", c.ProcessState, &out, &errOut)
			}
			if log := w.logFile(); !strings.Contains(log, "SIGQUIT") {
				t.Errorf("log file:\n%s", log)
			}
		})
	}
}

// The owner has no terminal either: what breaks it is found in the log file, and
// the next hook starts another.
func TestBrokenOwnerLeavesTheReason(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.hook(prompt("s1", "one"))
	p := w.owner()
	if err := p.Signal(unix.SIGQUIT); err != nil { // a fault on demand
		t.Fatal(err)
	}
	testutil.Eventually(t, "the owner's last words", func() bool { return strings.Contains(w.logFile(), "SIGQUIT") })
	w.hook(prompt("s1", "two"))
	if got := w.prompts(); len(got) != 2 {
		t.Errorf("prompts %q", got)
	}
	if next := w.owner(); next.Pid == p.Pid {
		t.Error("the broken owner is still there")
	}
}
