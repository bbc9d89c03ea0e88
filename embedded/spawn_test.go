//go:build unix

package embedded_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"journal/cmd/testkit/ownertest"
	"journal/cmd/testkit/testutil"
	"journal/embedded/store/ownership"
)

func init() {
	children["hold"] = hold
	children["race"] = race
	children["inherit"] = inherit
}

// hold is an owner without a server: it takes over the lock, and keeps it until the file "stop" exists.
func hold(dir string) int {
	l, err := ownership.Inherited(dir)
	if err == nil {
		_, err = ownership.Inherited(dir)
		if !errors.Is(err, ownership.ErrNotInherited) {
			err = fmt.Errorf("inherited twice: %w", err)
		} else {
			err = l.Beat("held")
		}
	}
	if sid, sidErr := unix.Getsid(0); err == nil && (sidErr != nil || sid != os.Getpid()) {
		err = fmt.Errorf("process %d runs in session %d", os.Getpid(), sid)
	}
	if wd, wdErr := os.Getwd(); err == nil && (wdErr != nil || wd != "/") {
		err = fmt.Errorf("runs in %s", wd)
	}
	if err != nil {
		os.WriteFile(filepath.Join(dir, "hold.err"), []byte(err.Error()), 0o600)
		return exitError
	}
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(2 * testutil.Patience)
	for {
		select {
		case <-deadline:
			return exitError
		case <-tick.C:
		}
		if _, err := os.Stat(filepath.Join(dir, "stop")); err == nil {
			return exitWon
		}
	}
}

// race is a hook that starts an owner.
func race(dir string) int {
	l, err := ownership.TryLock(dir)
	if errors.Is(err, ownership.ErrLocked) {
		return exitLocked
	}
	if err == nil {
		err = ownership.Spawn(l, []string{os.Args[0]}, childEnviron("hold", dir))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitError
	}
	return exitWon
}

// inherit checks that Inherited refuses the descriptors of its process, and leaves them open.
func inherit(dir string) int {
	_, err := ownership.Inherited(dir)
	if !errors.Is(err, ownership.ErrNotInherited) {
		fmt.Println("unexpected:", err)
		return exitError
	}
	if os.Getenv("EMBEDDED_TEST_FD3") != "" && syscall.Fstat(3, new(syscall.Stat_t)) != nil {
		fmt.Println("descriptor 3 was closed")
		return exitError
	}
	return exitWon
}

func TestRule1OneSpawnForManyHooks(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	const hooks = 20
	codes := make([]int, hooks)
	var wg sync.WaitGroup
	for i := range hooks {
		cmd := child(t, "race", dir)
		wg.Go(func() {
			// Output ends when the pipe does, so this also fails, by running
			// into the end of hold, if the owner keeps the hook's stdout.
			_, err := cmd.Output()
			var exit *exec.ExitError
			switch {
			case errors.As(err, &exit):
				codes[i] = exit.ExitCode()
			case err != nil:
				codes[i] = exitError
			}
		})
	}
	wg.Wait()
	var won, locked int
	for _, c := range codes {
		switch c {
		case exitWon:
			won++
		case exitLocked:
			locked++
		}
	}
	if won != 1 || locked != hooks-1 {
		t.Errorf("%d hooks spawned an owner and %d found the lock taken, of %d", won, locked, hooks)
	}
	if !ownership.Held(dir) {
		t.Error("nobody holds the lock after the hooks ended")
	}
	var h ownership.Holder
	testutil.Eventually(t, "the owner beats", func() bool {
		if b, err := os.ReadFile(filepath.Join(dir, "hold.err")); err == nil {
			t.Fatalf("owner: %s", b)
		}
		var err error
		h, err = ownership.ReadHolder(dir)
		return err == nil
	})
	if h.PID == os.Getpid() || h.Version != "held" {
		t.Errorf("holder %+v is not the owner that was started", h)
	}
	write(t, filepath.Join(dir, "stop"), "")
	testutil.Eventually(t, "the owner's end frees the lock", func() bool { return !ownership.Held(dir) })
}

func TestSpawnFailureFreesTheLock(t *testing.T) {
	t.Parallel()
	for name, argv := range map[string][]string{
		"no program": {filepath.Join(t.TempDir(), "absent")},
		"no command": {""},
	} {
		dir := ownertest.Dir(t)
		l := ownertest.Lock(t, dir)
		if err := ownership.Spawn(l, argv, nil); err == nil {
			t.Errorf("%s: no error", name)
		}
		if ownership.Held(dir) {
			t.Errorf("%s: lock still held", name)
		}
		testutil.WantError(t, ownership.Spawn(l, argv, nil), ownership.ErrClosed)
	}
}

func TestInheritedRefusesWhatSpawnDidNotGive(t *testing.T) {
	t.Parallel()
	open := func(t *testing.T, path string) *os.File {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	for name, fd3 := range map[string]func(t *testing.T, dir string) *os.File{
		"nothing": func(*testing.T, string) *os.File { return nil },
		"another file": func(t *testing.T, dir string) *os.File {
			return open(t, filepath.Join(dir, "other"))
		},
		"the lock file, but not the lock": func(t *testing.T, dir string) *os.File {
			return open(t, filepath.Join(dir, "owner.lock"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := ownertest.Dir(t)
			ownertest.Lock(t, dir)
			cmd := child(t, "inherit", dir)
			if f := fd3(t, dir); f != nil {
				cmd.ExtraFiles = []*os.File{f}
				cmd.Env = append(cmd.Env, "EMBEDDED_TEST_FD3=1")
			}
			if out, err := cmd.Output(); err != nil {
				t.Fatalf("%v: %s", err, strings.TrimSpace(string(out)))
			}
		})
	}
}
