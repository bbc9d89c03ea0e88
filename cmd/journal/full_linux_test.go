package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"journal/journal/testutil"

	"golang.org/x/sys/unix"
)

// insideEnv says that a test runs in namespaces of its own, where it may mount.
const insideEnv = "JOURNAL_TEST_INSIDE"

// inside runs the calling test again in a user and a mount namespace of its own
// and reports what came of it; in there it returns true.
func inside(t *testing.T) bool {
	t.Helper()
	if os.Getenv(insideEnv) != "" {
		return true
	}
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	c.Env = append(os.Environ(), insideEnv+"=1")
	if out := testutil.OwnMounts(t, c); strings.Contains(out, "--- SKIP") {
		t.Skip(out)
	}
	return false
}

// A disk that is full: hooks end in time and silent, what was acknowledged stays,
// and everything goes on without a person when there is space again.
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
	}
	b.run("", "stop") // its last trouble is told for as long as an owner lives
	b.shoot()
	b.owner()
	b.count()
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
