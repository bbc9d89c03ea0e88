//go:build unix

package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"

	"journal/cmd/testkit/testutil"
)

// An owner takes nothing of its caller with it: a lock that was held around the hook is
// free when the hook has ended, whoever reads its output sees the end, no file system is
// kept in use, and the end of a session of the system does not end it.
func TestOwnerInheritsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "lock")
	lock, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	r, output, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	// A shell as scripts have it: 9 is the lock, and 8 a copy of stdout.
	c := exec.Command("sh", "-c", `exec 9<&3 3<&- 8>&1; printf %s "$1" | "$0" claude; printf %s "$1" | "$2" hook claude`, small, prompt("s1", "one"), w.bin)
	c.Env, c.Dir, c.ExtraFiles, c.Stdout = w.env, dir, []*os.File{lock}, output
	if err := errors.Join(c.Run(), lock.Close(), output.Close()); err != nil {
		t.Fatal(err)
	}
	p := w.owner()
	again, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	testutil.Eventually(t, "the lock is free", func() bool {
		return unix.Flock(int(again.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil
	})
	if said, err := io.ReadAll(r); err != nil || len(said) > 0 { // else it waits until the owner leaves
		t.Errorf("output %q, %v", said, err)
	}
	if sid, err := unix.Getsid(p.Pid); err != nil || sid != p.Pid {
		t.Errorf("the owner %d is in session %d, %v", p.Pid, sid, err)
	}
	if runtime.GOOS != "linux" {
		return // the rest is not told there
	}
	if wd, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(p.Pid), "cwd")); err != nil || wd != "/" {
		t.Errorf("the owner is in %s, %v", wd, err)
	}
	if now := w.owner(); now.Pid != p.Pid {
		t.Errorf("the owner was %d and is %d", p.Pid, now.Pid)
	}
}
