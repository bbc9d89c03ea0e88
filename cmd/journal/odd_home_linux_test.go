package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"journal/cmd/testkit/testutil"
	"journal/journal/wire/sock"
)

// without gives the environment without a variable.
func without(env []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(v string) bool { return strings.HasPrefix(v, name+"=") })
}

// Who has no HOME has the one that the system knows; who has none at all is told where the
// journal is.
func TestNoHome(t *testing.T) {
	t.Parallel()
	if !inside(t) {
		return
	}
	w := newHome(t)
	home, list := t.TempDir(), filepath.Join(t.TempDir(), "passwd")
	if err := os.WriteFile(list, []byte("me:x:0:0::"+home+":/bin/sh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount(list, "/etc/passwd", "", unix.MS_BIND, ""); err != nil {
		t.Skip("mount: ", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount("/etc/passwd", unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	w.env = append(without(without(w.env, "HOME"), "JOURNAL_DIR"), "TMPDIR="+os.TempDir())
	w.dir = filepath.Join(home, ".local", "state", "journal")
	w.hook(prompt("s", "0"))
	w.once(1)
	w.run("", "stop")
	if s := w.status(); s.Store != w.dir {
		t.Errorf("the journal is in %s", s.Store)
	}
	w.env = append(w.env, "HOME=relative") // would be another journal in each directory
	if s := w.status(); s.Store != w.dir {
		t.Errorf("with a relative HOME the journal is in %s", s.Store)
	}
	for _, users := range []string{"", "me:x:0:0::home:/bin/sh\n", "me:x\n"} {
		if err := os.WriteFile(list, []byte(users), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, verb := range []string{"status", "doctor"} {
			out, _, code := w.run("", verb)
			if code != 1 || !strings.Contains(out, "HOME is not set") || !strings.Contains(out, os.TempDir()) {
				t.Errorf("with the users %q %s ends with %d: %s", users, verb, code, out)
			}
		}
	}
}

// Without /proc a journal works, and the order is kept.
func TestNoProc(t *testing.T) {
	t.Parallel()
	if racing {
		t.Skip("the race detector wants /proc, and says so on stderr")
	}
	if !inside(t) {
		return
	}
	w := newWorld(t)
	if err := unix.Mount("tmpfs", "/proc", "tmpfs", 0, "mode=755"); err != nil {
		t.Skip("mount: ", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount("/proc", unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	for _, text := range []string{"0", "1", "2"} {
		w.hook(prompt("s", text))
	}
	w.owner()
	w.once(3)
	testutil.Eventually(t, "nothing is wrong", func() bool { return w.status().Healthy })
	if out, errOut, _ := w.run("", "doctor"); strings.Contains(out, "no owner can be started") || errOut != "" {
		t.Errorf("doctor: %s%s", out, errOut)
	}
	if _, errOut, code := w.run("", "stop"); code != 0 {
		t.Errorf("stop ends with %d: %s", code, errOut)
	}
}

// The path is too long for a socket, and somebody else made the directory for those of such
// paths first: the owner listens in another one, and doctor and status name it.
func TestSocketDirectoryOfSomebodyElse(t *testing.T) {
	t.Parallel()
	if !inside(t) {
		return
	}
	shared, err := sock.Shared()
	if err != nil {
		t.Skip(err)
	}
	if err := unix.Mount("tmpfs", shared, "tmpfs", 0, "mode=777"); err != nil {
		t.Skip("mount: ", err)
	}
	mounted := true
	unmount := func() {
		if err := unix.Unmount(shared, unix.MNT_DETACH); mounted && err != nil {
			t.Error(err)
		}
		mounted = false
	}
	t.Cleanup(unmount)
	w := newWorld(t)
	w.dir = filepath.Join(t.TempDir(), strings.Repeat("long", 25))
	w.env = append(w.env, "JOURNAL_DIR="+w.dir)
	w.hook(prompt("s", "0"))
	w.owner()
	w.hook(prompt("s", "1"))
	w.once(2)
	at := w.status().Owner.Socket
	if to, err := os.Readlink(filepath.Join(w.dir, "owner.sock")); err != nil || to != at || filepath.Dir(at) == shared {
		t.Errorf("the socket is %s, linked as %s, %v", at, to, err)
	}
	for _, verb := range []string{"status", "doctor"} {
		if out, _, _ := w.run("", verb); !strings.Contains(out, at) {
			t.Errorf("%s does not name %s:\n%s", verb, at, out)
		}
	}
	// An owner that is killed leaves it to the next; one that stops takes it away.
	if err := w.owner().Kill(); err != nil {
		t.Fatal(err)
	}
	w.hook(prompt("s", "2"))
	w.once(3)
	if again := w.status().Owner.Socket; again != at {
		t.Errorf("the next owner listens on %s", again)
	}
	if _, errOut, code := w.run("", "stop"); code != 0 {
		t.Error(errOut)
	}
	if _, err := os.Lstat(filepath.Dir(at)); err == nil {
		t.Errorf("%s is left", filepath.Dir(at))
	}
	// The directory is ours again: the owner listens where it always did.
	w.hook(prompt("s", "3"))
	w.owner()
	w.run("", "stop")
	unmount()
	w.hook(prompt("s", "4"))
	w.once(5)
	if s := w.status(); s.Owner == nil || filepath.Dir(s.Owner.Socket) != shared {
		t.Errorf("the owner is %+v", s.Owner)
	}
}
