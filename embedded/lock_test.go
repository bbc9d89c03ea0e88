package embedded_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"journal/cmd/testkit/ownertest"
	"journal/cmd/testkit/testutil"
	"journal/embedded"
	"journal/embedded/store/ownership"
)

func TestLockExcludes(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	if ownership.Held(dir) {
		t.Fatal("held before anyone locked")
	}
	l := ownertest.Lock(t, dir)
	if !ownership.Held(dir) || !l.Intact() {
		t.Fatal("not held after TryLock")
	}
	_, err := ownership.TryLock(dir)
	testutil.WantError(t, err, ownership.ErrLocked)

	for range 2 {
		if err := l.Release(); err != nil {
			t.Fatal(err)
		}
	}
	if ownership.Held(dir) || l.Intact() {
		t.Fatal("held after Release")
	}
	ownertest.Lock(t, dir)
}

func TestLockNeedsADirectory(t *testing.T) {
	t.Parallel()
	_, err := ownership.TryLock(filepath.Join(ownertest.Dir(t), "absent"))
	testutil.WantError(t, err, os.ErrNotExist)
}

// lockAndForget is a function of its own so that nothing on the caller's
// stack refers to the lock.
//
//go:noinline
func lockAndForget(t *testing.T, dir string) {
	if _, err := ownership.TryLock(dir); err != nil {
		t.Fatal(err)
	}
}

func TestRule2LockOutlivesItsReferences(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	lockAndForget(t, dir)
	// Finalisers run after the collector, so poll.
	for range 50 {
		runtime.GC()
		l, err := ownership.TryLock(dir)
		if err == nil {
			l.Release()
			t.Fatal("a second owner got the lock")
		}
		testutil.WantError(t, err, ownership.ErrLocked)
	}
}

func TestRule5LockNoticesReplacement(t *testing.T) {
	t.Parallel()
	for name, replace := range map[string]func(dir string) error{
		"lock file removed": func(dir string) error { return os.Remove(filepath.Join(dir, "owner.lock")) },
		"lock file made anew": func(dir string) error {
			path := filepath.Join(dir, "owner.lock")
			return errors.Join(os.WriteFile(path+".2", nil, 0o600), os.Rename(path+".2", path))
		},
		"directory removed": os.RemoveAll,
		"directory moved":   func(dir string) error { return os.Rename(dir, dir+"2") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if runtime.GOOS == "windows" {
				t.Skip("an open file cannot be removed")
			}
			dir := ownertest.Dir(t)
			l := ownertest.Lock(t, dir)
			if err := replace(dir); err != nil {
				t.Fatal(err)
			}
			if l.Intact() {
				t.Error("intact")
			}
			testutil.WantError(t, l.Beat(""), ownership.ErrReplaced)
			_, err := embedded.Own(context.Background(), l, embedded.Options{})
			testutil.WantError(t, err, ownership.ErrReplaced)
		})
	}
}

func TestRule15LockWithin(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	l := ownertest.Lock(t, dir)

	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := ownership.LockWithin(ctx, dir)
	testutil.WantError(t, err, ownership.ErrLocked)
	testutil.WantError(t, err, context.DeadlineExceeded)

	got := make(chan error)
	go func() {
		second, err := ownership.LockWithin(t.Context(), dir)
		if err == nil {
			err = second.Release()
		}
		got <- err
	}()
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	if err := <-got; err != nil {
		t.Fatal(err)
	}
}

func TestLockFileIsAFile(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	elsewhere := filepath.Join(filepath.Dir(dir), "elsewhere")
	write(t, elsewhere, "content")
	if err := os.Symlink(elsewhere, filepath.Join(dir, "owner.lock")); err != nil {
		t.Skip(err)
	}
	if l, err := ownership.TryLock(dir); err == nil {
		l.Release()
		t.Fatal("locked through a symlink")
	}
	if b, _ := os.ReadFile(elsewhere); string(b) != "content" {
		t.Errorf("target now holds %q", b)
	}
}
