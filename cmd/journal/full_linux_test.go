package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"journal/cmd/testkit/testutil"
	"journal/embedded/copies"

	"golang.org/x/sys/unix"
)

// inside runs the calling test again in a user and a mount namespace of its own
// and reports what came of it; in there it returns true.
func inside(t *testing.T) bool {
	t.Helper()
	if os.Getenv(insideEnv) != "" {
		return true
	}
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	c.Env = append(os.Environ(), insideEnv+"="+filepath.Dir(program))
	if out := testutil.OwnMounts(t, c); strings.Contains(out, "--- SKIP") {
		t.Skip(out)
	}
	return false
}

// A disk that is full: hooks end in time, what was acknowledged stays, the person hears of
// what could not be kept once, the log takes note of how much that was, and everything goes
// on without a person when there is space again.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	if !inside(t) {
		return
	}
	b := newBattery(t)
	b.calls = []string{b.bin, "hook"} // which writes its budgets down
	budgets := b.budgets()
	if err := os.Mkdir(b.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", b.dir, "tmpfs", 0, "size=16m,mode=700"); err != nil {
		t.Skip("mount: ", err)
	}
	t.Cleanup(func() {
		b.run("", "stop")
		if err := unix.Unmount(b.dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	b.shoot() // begins the log
	b.owner()
	for round := range 2 {
		ballast := filepath.Join(b.dir, fmt.Sprint("ballast", round))
		fill(t, ballast)
		for range 6 {
			b.shoot()
		}
		for _, s := range b.shots {
			// Behind the bounds of the whole process: what the owner may take.
			if got := budgets(s.process); len(got) < 3 || total(got[3:]) > 400*time.Millisecond {
				t.Errorf("%s waits for %v on a full disk", s.session, got)
			}
		}
		if err := os.Remove(ballast); err != nil {
			t.Fatal(err)
		}
		b.takesTime() // or every hook of a busy machine leaves something in the spool
		s := b.status()
		again := testutil.Within(testutil.Patience, func() bool {
			b.shoot()
			s = b.status()
			return s.Owner != nil && s.Spooled == 0
		})
		if !again {
			t.Fatalf("hooks do not reach the log again: %+v\n%s", s, b.logFile())
		}
		b.keepsTime()
		if len(b.told) > round+1 {
			t.Errorf("the person is told more than once of one full disk: %q", b.told)
		}
	}
	lost := uint64(len(b.undelivered()))
	testutil.Eventually(t, "the log takes note of what is lost", func() bool { return copies.Unacknowledged(b.status().Losses) == lost })
	if lost == 0 || len(b.told) == 0 {
		t.Errorf("%d are lost, told %q", lost, b.told)
	}
	if _, errOut, code := b.run("", "repair", "--acknowledge"); code != 0 {
		t.Error(errOut)
	}
	b.run("", "stop") // its last trouble is told for as long as an owner lives
	b.shoot()
	b.owner()
	b.count()
}

// onDisk gives the journal a disk of its own, of a size such as "16m".
func (w *world) onDisk(size string) {
	w.Helper()
	if err := os.Mkdir(w.dir, 0o700); err != nil {
		w.Fatal(err)
	}
	if err := unix.Mount("tmpfs", w.dir, "tmpfs", 0, "mode=700,size="+size); err != nil {
		w.Skip("mount: ", err)
	}
	w.Cleanup(func() {
		w.run("", "stop")
		if err := unix.Unmount(w.dir, unix.MNT_DETACH); err != nil {
			w.Error(err)
		}
	})
}

// A tiny disk that was full is used again when there is room, though it never has the room that a larger one must have.
func TestTinyDisk(t *testing.T) {
	t.Parallel()
	if !inside(t) {
		return
	}
	w := newWorld(t)
	w.onDisk("3m")
	w.hook(prompt("s", "0"))
	w.owner()
	ballast := filepath.Join(w.dir, "ballast")
	fill(t, ballast)
	testutil.Eventually(t, "the owner notices", func() bool {
		w.hook(prompt("s", testutil.Words(1, 30<<10)))
		return strings.Contains(strings.Join(w.status().Problems, "\n"), "could not start")
	})
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	testutil.Eventually(t, "it goes on", func() bool {
		s := w.status()
		return s.Owner != nil && s.Spooled == 0
	})
}

// A spool that can be read and not written: hooks reach the log through the owner, behind
// what waits there, which is stored once however often it cannot be removed.
func TestReadOnlySpool(t *testing.T) {
	t.Parallel()
	if !inside(t) {
		return
	}
	w := newWorld(t)
	queue := filepath.Join(w.dir, "spool")
	if err := os.MkdirAll(queue, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", queue, "tmpfs", 0, "mode=700"); err != nil {
		t.Skip("mount: ", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(queue, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	env := w.env
	w.env = append(w.env, "JOURNAL_OWNER=never-spawn")
	w.hook(prompt("s", "0"))
	w.hook(prompt("s", "1"))
	w.env = env
	remount := func(flags uintptr) {
		t.Helper()
		if err := unix.Mount("", queue, "", unix.MS_REMOUNT|flags, "mode=700"); err != nil {
			t.Fatal(err)
		}
	}
	remount(unix.MS_RDONLY)
	for n := range 5 {
		w.hook(prompt("s", fmt.Sprint(2+n)))
	}
	w.once(7)
	if out, _, code := w.run("", "doctor"); code == 0 || !strings.Contains(out, "spool: read-only file system") {
		t.Errorf("doctor ends with %d:\n%s", code, out)
	}
	if _, errOut, code := w.run("", "stop"); code != 0 { // nothing that an owner could take calls for another
		t.Errorf("stop ends with %d: %s", code, errOut)
	}
	remount(0)
	w.hook(prompt("s", "7"))
	w.once(8)
	testutil.Eventually(t, "the spool is empty", func() bool { return w.spooled() == 0 })
	if log := w.logFile(); strings.Contains(log, "undelivered") {
		t.Error(log)
	}
}

func total(budgets []time.Duration) (all time.Duration) {
	for _, b := range budgets {
		all += b
	}
	return all
}

// fill writes to a file until the disk is full.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for size := 1 << 20; size > 0; {
		if _, err := f.Write(make([]byte, size)); err != nil {
			size /= 2 // the last pages too
		}
	}
}
