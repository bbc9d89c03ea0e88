//go:build linux || darwin

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"journal/cmd/testkit/testutil"
	"journal/events"
	"journal/journal/wire/frame"
)

// alone makes a process of the program that a carrier becomes, after an attempt.
func (w *world) alone(id, so string) *exec.Cmd {
	c := w.command(append([]string{"hook"}, claude...)...)
	c.Env = append(w.env[:len(w.env):len(w.env)], fmt.Sprintf("JOURNAL_HOOK_TRIED=%s %d 0 -%s", id, time.Now().UnixNano(), so))
	return c
}

// hand hands a call to the owner, as a carrier does that goes away before it hears anything.
func (w *world) hand(id, stdin string) {
	w.Helper()
	b, ok := frame.Append(nil, frame.Call{
		Began: time.Now().UnixNano(), PID: 1, ID: id, Cwd: "/", Args: claude, Vars: w.env, Stdin: []byte(stdin),
	})
	if !ok {
		w.Fatal("no frame carries it")
	}
	w.idle()
	conn, err := net.Dial("unix", filepath.Join(w.dir, "hook.sock"))
	if err == nil {
		_, err = conn.Write(b)
		conn.Close()
	}
	if err != nil {
		w.Fatal(err)
	}
}

// An owner that is killed when it has claimed the text of a compaction, before anybody heard of
// it, keeps it from nobody: the program that the carrier becomes is given it, and the events are
// in the log once. Who asks for the same compaction otherwise is given nothing.
func TestClaimedByAnOwnerThatWasKilled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.hook(prompt("s1", "fix the parser"))
	w.hook(`{"session_id":"s1","hook_event_name":"PreCompact","trigger":"auto","cwd":"/"}`)
	const start = `{"session_id":"s1","hook_event_name":"SessionStart","source":"compact","cwd":"/"}`
	id := events.NewID()
	w.hand(id, start)
	testutil.Eventually(t, "the claim is in the log", func() bool { return len(w.events("--type", "recovery.sent")) == 1 })
	if err := w.owner().Kill(); err != nil {
		t.Fatal(err)
	}
	out, errOut, code := w.exec(w.alone(id, "a"), start)
	if code != 0 || errOut != "" || !strings.Contains(out, "fix the parser") {
		t.Errorf("exit %d, stdout %q, stderr %q", code, out, errOut)
	}
	if out := w.hook(start); strings.Contains(out, "fix the parser") {
		t.Errorf("another call is given %q", out)
	}
	if got := len(w.events("--type", "recovery.sent")); got != 1 {
		t.Errorf("claimed %d times", got)
	}
	seen := 0
	for _, e := range w.events("--type", "context.restarted") {
		if e.ID == id {
			seen++
		}
	}
	if seen != 1 {
		t.Errorf("the event is in the log %d times", seen)
	}
}

// A hook whose time was over before its program began, as when the laptop slept meanwhile, is kept all the same.
func TestTimeThatPassedAsleep(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.hook(prompt("s1", "0"))
	c := w.alone(events.NewID(), "l")
	c.Env[len(c.Env)-1] = fmt.Sprintf("JOURNAL_HOOK_TRIED=%s %d 0 -l", events.NewID(), time.Now().Add(-time.Hour).UnixNano())
	if out, errOut, code := w.exec(c, prompt("s1", "1")); code != 0 || out != "" || errOut != "" {
		t.Errorf("exit %d, stdout %q, stderr %q", code, out, errOut)
	}
	w.once(2)
}

// The mark of an owner that hung keeps nobody from an answer that was claimed for it: the program that a late carrier becomes
// asks again. Nor does a mark of the future, left before the clock was set back, keep hooks from asking.
func TestMarkOfAHungOwner(t *testing.T) {
	t.Parallel()
	const start = `{"session_id":"s1","hook_event_name":"SessionStart","source":"compact","cwd":"/"}`
	for name, ask := range map[string]func(w *world, mark func(age time.Duration)) string{
		"claimed": func(w *world, mark func(time.Duration)) string {
			id := events.NewID()
			w.hand(id, start)
			testutil.Eventually(w.T, "the claim is in the log", func() bool { return len(w.events("--type", "recovery.sent")) == 1 })
			mark(-time.Second)
			out, _, _ := w.exec(w.alone(id, "al"), start)
			return out
		},
		"of the future": func(w *world, mark func(time.Duration)) string {
			mark(-time.Hour)
			return w.hook(start)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.hook(prompt("s1", "fix the parser"))
			w.hook(`{"session_id":"s1","hook_event_name":"PreCompact","trigger":"auto","cwd":"/"}`)
			out := ask(w, func(age time.Duration) {
				path, at := filepath.Join(w.dir, "owner.hung"), time.Now().Add(-age)
				if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chtimes(path, at, at)); err != nil {
					t.Fatal(err)
				}
			})
			if !strings.Contains(out, "fix the parser") {
				t.Errorf("the agent is told %q", out)
			}
		})
	}
}

// What the owner has from the carrier and from the program that it became is in the log once, the further events of the
// report too.
func TestToldTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.hook(prompt("s1", "before"))
	id, end := events.NewID(), `{"session_id":"s1","hook_event_name":"Stop","cwd":"/","last_assistant_message":"done"}`
	w.hand(id, end)
	testutil.Eventually(t, "the event is in the log", func() bool { return len(w.events("--type", "turn.ended")) == 1 })
	before := len(w.events())
	for _, again := range []*exec.Cmd{w.alone(id, "a"), w.alone(id, "al")} {
		if out, errOut, code := w.exec(again, end); code != 0 || errOut != "" {
			t.Errorf("exit %d, stdout %q, stderr %q", code, out, errOut)
		}
	}
	testutil.Eventually(t, "the spool is empty", func() bool { return w.spooled() == 0 })
	if got := len(w.events()); got != before {
		t.Errorf("%d events became %d", before, got)
	}
}

// A hung owner costs one hook the wait, and every event is in the log once when it goes on.
func TestCarriersOfAHungOwner(t *testing.T) {
	t.Parallel()
	dir, err := older() // whose budgets last as long as they say
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	w.use(dir)
	w.hook(prompt("s1", "0"))
	p := w.idle()
	halt(t, p)
	const n = 5
	asked := func() (at time.Time) { // when a hook last waited for the owner in vain
		if info, err := os.Stat(filepath.Join(w.dir, "owner.hung")); err == nil {
			at = info.ModTime()
		}
		return at
	}
	for i := 1; i < n; i++ {
		before := asked()
		w.hook(prompt("s1", fmt.Sprint(i)))
		if _, err := os.Stat(filepath.Join(w.dir, "owner.slow")); err != nil {
			t.Errorf("hook %d: the lateness was not noted: %v", i, err)
		}
		const remembered = 2 * time.Second
		if fresh := time.Since(before) < remembered; fresh && !asked().Equal(before) {
			t.Errorf("hook %d: it asked again", i)
		}
	}
	if asked().IsZero() {
		t.Error("no hook noted that the owner hangs")
	}
	// When the marks are old one hook asks again, behind a spool that is not empty, and renews them for the others.
	at := time.Now().Add(-time.Minute)
	for _, mark := range []string{"owner.slow", "owner.hung"} {
		if err := os.Chtimes(filepath.Join(w.dir, mark), at, at); err != nil {
			t.Fatal(err)
		}
	}
	w.hook(prompt("s1", fmt.Sprint(n)))
	if slow, err := os.Stat(filepath.Join(w.dir, "owner.slow")); err != nil || !slow.ModTime().After(at) {
		t.Errorf("the lateness was not noted: %v", err)
	}
	if got := w.spooled(); got != n {
		t.Errorf("%d reports in the spool, want %d", got, n)
	}
	if err := p.Signal(unix.SIGCONT); err != nil {
		t.Fatal(err)
	}
	w.once(n + 1)
}

// A fault of the carrier itself ends it by a signal: 2 would block the agent (ADR-0005). One
// that is asked to end keeps what it was told.
func TestCarrierWhileTheOwnerHangs(t *testing.T) {
	t.Parallel()
	dir, err := older()
	if err != nil {
		t.Fatal(err)
	}
	for _, sig := range []os.Signal{unix.SIGQUIT, unix.SIGTERM, os.Interrupt} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.use(dir)
			if err := os.Mkdir(w.dir, 0o700); err != nil {
				t.Fatal(err)
			}
			door, err := net.Listen("unix", filepath.Join(w.dir, "hook.sock"))
			if err != nil {
				t.Fatal(err)
			}
			defer door.Close()
			c := w.hooks(claude...)
			var out, errOut bytes.Buffer
			c.Stdin, c.Stdout, c.Stderr = strings.NewReader(prompt("s1", "0")), &out, &errOut
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			visitor, err := door.Accept()
			if err != nil {
				t.Fatal(err)
			}
			defer visitor.Close()
			if err := c.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			err = c.Wait()
			if sig != unix.SIGQUIT {
				if err != nil || out.Len() > 0 || errOut.Len() > 0 {
					t.Errorf("the hook ends with %v, stdout %q, stderr %q", err, &out, &errOut)
				}
				w.once(1)
				return
			}
			// A shell says 134.
			if status := c.ProcessState.Sys().(syscall.WaitStatus); status.Signal() != unix.SIGABRT || status.CoreDump() || out.Len() > 0 {
				t.Errorf("the hook ends with %v, stdout %q", c.ProcessState, &out)
			}
		})
	}
}

// A stdin that does not end in time keeps what came of it and the reason, with an owner and without one. Where nothing
// came, it is counted as an event that could not be kept.
func TestSlowStdin(t *testing.T) {
	t.Parallel()
	dir, err := older()
	if err != nil {
		t.Fatal(err)
	}
	const late = "stdin did not end within 900ms"
	silent := func(w *world) bool { return strings.Contains(fmt.Sprint(w.status().Problems), late) }
	for said, holds := range map[string]func(*world) bool{
		"": silent,
		`{"session_id":"s2","hook_event_name":"UserPromptSubmit","prompt":"ha`: func(w *world) bool { return len(w.events("--session", "s2")) > 0 && !silent(w) },
	} {
		for _, owned := range []bool{true, false} {
			t.Run(fmt.Sprintf("%d bytes, owner %v", len(said), owned), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				w.use(dir)
				if owned {
					w.hook(prompt("s1", "before"))
					w.idle()
				}
				c := w.hooks(claude...)
				c.Stdin = nil
				in, err := c.StdinPipe()
				if err != nil {
					t.Fatal(err)
				}
				defer in.Close()
				if err := c.Start(); err != nil {
					t.Fatal(err)
				}
				if _, err := io.WriteString(in, said); err != nil {
					t.Fatal(err)
				}
				if err := c.Wait(); err != nil {
					t.Error(err)
				}
				if log := w.logFile(); !strings.Contains(log, late) {
					t.Errorf("log file: %s", log)
				}
				testutil.Eventually(t, "it is kept, or counted", func() bool { return holds(w) })
			})
		}
	}
}

// A long payload that stays open keeps the beginning of the text that came, redacted and
// marked as cut, and ends the hook in time.
func TestLongStdinThatStaysOpen(t *testing.T) {
	t.Parallel()
	dir, err := older()
	if err != nil {
		t.Fatal(err)
	}
	for _, owned := range []bool{true, false} {
		t.Run(fmt.Sprint("owner ", owned), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.use(dir)
			if owned {
				w.hook(prompt("s1", "before"))
				w.idle()
			}
			c := w.hooks(claude...)
			in, err := c.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			defer in.Close() // not before the hook has ended
			_, _ = io.WriteString(in, `{"session_id":"s2","hook_event_name":"UserPromptSubmit","prompt":"`)
			// Who does not wait any longer hangs up.
			_, _ = io.WriteString(in, strings.Repeat(`password=Tr0ub4dor&3-horse\n`, 20_000))
			if err := c.Wait(); err != nil {
				t.Error(err)
			}
			out, _, _ := w.run("", "log", "--json", "--session", "s2")
			if !strings.Contains(out, "password=[redacted:") || !strings.Contains(out, "…[+") || strings.Contains(out, "ub4dor") {
				t.Errorf("kept: %.2000s", out)
			}
		})
	}
}

// Who ends a hook while it hands on a payload that is too long to be carried loses nothing.
func TestSignalWhileItFeeds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.hook(prompt("s0", "before"))
	w.idle()
	c := w.hooks(claude...)
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	// More than it carries and pipes hold: when all is written, the other program reads.
	text := strings.Repeat("x", frame.MaxStdin+200<<10)
	if _, err := io.WriteString(in, `{"session_id":"s1","hook_event_name":"UserPromptSubmit","cwd":"/","x":"`+text); err != nil {
		t.Fatal(err)
	}
	for _, sig := range []os.Signal{unix.SIGTERM, os.Interrupt} {
		if err := c.Process.Signal(sig); err != nil {
			t.Error(err)
		}
	}
	if _, err := io.WriteString(in, `","prompt":"all of it"}`); err != nil {
		t.Error(err)
	}
	if err := errors.Join(in.Close(), c.Wait()); err != nil {
		t.Error(err)
	}
	if got := w.prompts("--session", "s1"); len(got) != 1 || got[0] != "all of it" {
		t.Errorf("prompts %q", got)
	}
}

// Payloads of all lengths come into the log, with an owner and without one: those that fit
// into a pipe, those that do not, and those that nobody carries.
func TestLongPayloads(t *testing.T) {
	t.Parallel()
	for _, owned := range []bool{true, false} {
		t.Run(fmt.Sprint("owner ", owned), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			if owned {
				w.hook(prompt("s0", "before"))
				w.idle()
			}
			for i, n := range []int{1, 4 << 10, 64<<10 - 200, 64 << 10, 200 << 10, frame.MaxStdin, 600 << 10} {
				w.hook(fmt.Sprintf(`{"session_id":"s1","hook_event_name":"UserPromptSubmit","cwd":"/","prompt":"%d","x":%q}`, i, strings.Repeat("x", n)))
				if !owned {
					w.run("", "stop")
				}
			}
			if got := w.prompts("--session", "s1"); strings.Join(got, "") != "0123456" {
				t.Errorf("prompts %q", got)
			}
		})
	}
}
