package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"journal/cmd/testkit/testutil"
)

// The times as of which two builds were made, as the linker spells them: as long as each other, and nowhere else in the
// programs.
const olderStamp, newerStamp = "7310958264", "7310958265"

// older links the programs as of a time, into a directory.
var older = sync.OnceValues(func() (string, error) {
	return linked("older", "-s -w -X journal/journal/wire/frame.built="+olderStamp)
})

// linked links all programs with some flags of the linker, into a directory.
func linked(name, flags string) (dir string, err error) {
	dir = filepath.Join(filepath.Dir(program), name) + string(filepath.Separator)
	out, err := exec.Command("go", "build", "-buildvcs=false", "-ldflags", flags, "-o", dir, ".").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return dir, buildSmall(dir, "-ldflags", flags)
}

// newest is older with another stamp in its programs: they are linked once.
var newest = sync.OnceValues(func() (string, error) {
	from, err := older()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(filepath.Dir(program), "newest")
	entries, err := os.ReadDir(from)
	if err == nil {
		err = os.Mkdir(dir, 0o755)
	}
	for _, e := range entries {
		var b []byte
		if b, err = os.ReadFile(filepath.Join(from, e.Name())); err != nil {
			break
		}
		path := filepath.Join(dir, e.Name())
		if err = os.WriteFile(path, bytes.ReplaceAll(b, []byte(olderStamp), []byte(newerStamp)), 0o755); err == nil && runtime.GOOS == "darwin" {
			err = exec.Command("codesign", "--force", "--sign", "-", path).Run() // what was changed is signed no more
		}
		if err != nil {
			break
		}
	}
	return dir, err
})

func started(session string) string {
	return fmt.Sprintf(`{"session_id":%q,"hook_event_name":"SessionStart","source":"startup","cwd":"/"}`, session)
}

// An owner of an older build makes way when a session of a newer one starts, or its verb
// reads the log; no event is lost or doubled by it, and an older build asks in vain
// (ADR-0004 rule 17).
func TestOlderBuildMakesWay(t *testing.T) {
	t.Parallel()
	old, err := older()
	if err != nil {
		t.Fatal(err)
	}
	now, err := newest()
	if err != nil {
		t.Fatal(err)
	}
	t.Run("a session starts", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.use(old)
		w.hook(prompt("s", "0"))
		first := w.owner().Pid
		w.use(now)
		if s := w.status(); s.Owner == nil || !s.Owner.Outdated {
			t.Errorf("the older owner is %+v", s.Owner)
		}
		w.hook(prompt("s", "1"))
		if pid := w.owner().Pid; pid != first {
			t.Error("a prompt made the owner leave")
		}
		w.hook(started("s2"))
		for n := 2; n < 12; n++ { // while one leaves and the other comes
			w.hook(prompt("s", strconv.Itoa(n)))
		}
		testutil.Eventually(t, "an owner of the newer build", func() bool {
			s := w.status()
			return s.Owner != nil && s.Owner.PID != first && !s.Owner.Outdated
		})
		second := w.owner().Pid
		w.use(old)
		w.hook(started("s3"))
		w.hook(prompt("s", "12"))
		w.run("", "log")
		if s := w.status(); s.Owner == nil || s.Owner.PID != second || s.Owner.Outdated {
			t.Errorf("the older build made the owner %d leave: %+v", second, s.Owner)
		}
		w.once(13)
	})
	t.Run("installed over it", func(t *testing.T) {
		t.Parallel()
		if runtime.GOOS == "windows" {
			t.Skip("a program that runs cannot be replaced")
		}
		w := newWorld(t)
		place := filepath.Join(t.TempDir(), "bin")
		w.use(place)
		installOver(t, old, place)
		w.hook(prompt("s", "0"))
		first := w.owner().Pid
		for n := 1; n < 12; n++ { // before it, while it happens, and after it
			if n == 4 {
				installOver(t, now, place)
			}
			w.hook(prompt("s", strconv.Itoa(n)))
		}
		w.once(12)
		if s := w.status(); s.Owner == nil || s.Owner.PID == first || s.Owner.Outdated {
			t.Errorf("after the upgrade the owner is %+v", s.Owner)
		}
	})
	t.Run("a verb reads", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.use(old)
		w.hook(prompt("s", "0"))
		first := w.owner().Pid
		w.use(now)
		if got := w.prompts(); len(got) != 1 {
			t.Errorf("prompts %q", got)
		}
		if s := w.status(); s.Owner == nil || s.Owner.PID == first || s.Owner.Outdated {
			t.Errorf("after reading the owner is %+v", s.Owner)
		}
	})
}

// installOver puts the programs of a directory into another one as a package manager does:
// each is renamed over the one before.
func installOver(t *testing.T, from, to string) {
	t.Helper()
	entries, err := os.ReadDir(from)
	if err == nil {
		err = os.MkdirAll(to, 0o755)
	}
	for _, e := range entries {
		var b []byte
		b, err = os.ReadFile(filepath.Join(from, e.Name()))
		path := filepath.Join(to, e.Name())
		if err == nil {
			err = errors.Join(os.WriteFile(path+".new", b, 0o755), os.Rename(path+".new", path))
		}
		if err != nil {
			break
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}
