//go:build unix

package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"journal/cmd/testkit/testutil"
	"journal/journal/wire/sock"
)

// halt stops a process until the test ends: all its threads, where the system tells how they are.
func halt(t *testing.T, p *os.Process) {
	t.Helper()
	if err := p.Signal(unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Signal(unix.SIGCONT) })
	testutil.Eventually(t, "every thread stands still", func() bool {
		threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", p.Pid))
		return err == nil && !slices.ContainsFunc(threads, func(path string) bool {
			b, err := os.ReadFile(path)
			return err == nil && !strings.Contains(string(b), ") T ")
		})
	})
}

// A hung owner costs the first hooks a timeout and the rest nothing; every event
// is in the log once when it goes on (ADR-0004 rules 11 and 12).
func TestHungOwner(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.hook(prompt("s1", "0"))
	p := w.idle()
	w.keepsTime()
	if racing {
		w.env = append(w.env, ownPace+"=5") // the detector alone takes half of the budget
	}
	budgets := w.budgets()
	halt(t, p)
	const n = 8
	for i := 1; i <= n; i++ {
		c := w.command("hook", "claude")
		c.Stdin = strings.NewReader(prompt("s1", fmt.Sprint(i)))
		if out, err := c.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("hook %d ends with %v, says %q", i, err, out)
		}
		// The watchdog bounds the process; within it the append may take 250 ms, and
		// a prompt may wait 150 ms for an answer. Behind a report in the spool nobody
		// tries to append, and for two seconds after an answer that did not come nobody waits for one.
		want := []time.Duration{1200 * time.Millisecond, 900 * time.Millisecond, 1350 * time.Millisecond}
		answer := []time.Duration{150 * time.Millisecond}
		if i == 1 {
			want = append(want, 250*time.Millisecond, answer[0])
		}
		if got := budgets(c.Process); !slices.Equal(got, want) && (i < 3 || !slices.Equal(got, slices.Concat(want, answer))) {
			t.Errorf("hook %d waits for %v, want %v", i, got, want)
		}
	}
	if out, _, _ := w.run("", "status"); !strings.Contains(out, "a process holds the log and does not answer") || strings.Contains(out, "none is running") {
		t.Errorf("status says\n%s", out)
	}
	if out, _, _ := w.run("", "doctor"); !strings.Contains(out, "holds the lock and does not answer; its last sign of life was at 2") || strings.Contains(out, "starts an owner") {
		t.Errorf("doctor says\n%s", out)
	}
	if err := p.Signal(unix.SIGCONT); err != nil {
		t.Fatal(err)
	}
	w.once(n + 1)
}

// A hook that is asked to end while it waits for the owner saves its event and
// exits 0: it waits no more, and the disk has 300 ms
// (ADR-0004 rule 9). The test is the owner: it takes the connection and says
// nothing.
func TestSignalWhileTheOwnerHangs(t *testing.T) {
	for _, sig := range []os.Signal{unix.SIGTERM, os.Interrupt} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			door := w.hangs()
			budgets := w.budgets()
			c := w.command("hook", "claude")
			var out, errOut bytes.Buffer
			// Recovery is worth waiting for: minutes, at the pace of tests.
			c.Stdin = strings.NewReader(`{"session_id":"s1","hook_event_name":"SessionStart","source":"compact","cwd":"/"}`)
			c.Stdout, c.Stderr = &out, &errOut
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
			if err := c.Wait(); err != nil || out.Len() > 0 || errOut.Len() > 0 {
				t.Errorf("the hook ends with %v, stdout %q, stderr %q", err, &out, &errOut)
			}
			waits := budgets(c.Process)
			if last := waits[len(waits)-1]; last != 300*time.Millisecond {
				t.Errorf("the disk is given %v", last)
			}
			if n := w.spooled(); n != 1 {
				t.Fatalf("%d files in the spool, want 1\n%s", n, w.logFile())
			}
			door.Close() // and its socket with it
			if got := w.events("--type", "context.restarted"); len(got) != 1 {
				t.Errorf("in the log %d times", len(got))
			}
		})
	}
}

// Every hook works whether its owner was killed a moment ago or not, and what was
// acknowledged stays.
func TestKilledOwner(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const n = 6
	for i := range n {
		w.hook(prompt("s1", fmt.Sprint(i)))
		if i%2 == 1 {
			continue
		}
		p := w.idle()
		if err := p.Kill(); err != nil {
			t.Fatal(err)
		}
		testutil.Eventually(t, "the owner is gone", func() bool { return w.status().Owner == nil })
	}
	w.once(n)
	if s := w.status(); !s.Healthy || s.Spooled != 0 {
		t.Errorf("status %+v", s)
	}
	if left, _ := filepath.Glob(filepath.Join(w.dir, "spool", ".tmp-*")); len(left) > 0 {
		t.Errorf("left in the spool: %q", left)
	}
}

// hangs is an owner that listens and says nothing, till the test closes it or ends.
func (w *world) hangs() net.Listener {
	w.Helper()
	if err := os.Mkdir(w.dir, 0o700); err != nil {
		w.Fatal(err)
	}
	path, err := sock.Prepare(w.dir)
	if err != nil {
		w.Fatal(err)
	}
	door, err := net.Listen("unix", path)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { door.Close() })
	return door
}
