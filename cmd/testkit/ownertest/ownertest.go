// Package ownertest makes journal directories and their owners for tests.
package ownertest

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"journal/cmd/testkit/testutil"
	"journal/embedded/owner"
	"journal/embedded/owner/answers"
	"journal/embedded/store/ownership"
	"journal/journal"
)

// Dir returns a prepared journal directory without an owner, which is removed when the test ends. Its path is short enough for a
// socket, unlike some that t.TempDir returns.
func Dir(t testing.TB) string {
	t.Helper()
	root, err := os.MkdirTemp("", "jnl")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	dir := filepath.Join(root, "d")
	if err := ownership.Prepare(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Lock takes the lock of dir until the test ends.
func Lock(t testing.TB, dir string) *ownership.Lock {
	t.Helper()
	l, err := ownership.TryLock(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Release() })
	return l
}

// Serve runs an owner of dir until the test ends or stop is called. It returns when the owner answers.
func Serve(t testing.TB, dir string) (o *owner.Owner, stop func()) {
	t.Helper()
	l := Lock(t, dir)
	o, err := owner.Own(t.Context(), l, owner.Config{
		Logger: slog.New(slog.DiscardHandler), Version: "test",
		Settings: func() owner.Settings {
			return owner.Settings{Settings: answers.Settings{Template: func(string) string { return "" }}}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- o.Serve(context.Background(), nil) }()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		o.Leave()
		if err := errors.Join(<-served, o.Close(), l.Release()); err != nil {
			t.Errorf("stop the owner: %v", err)
		}
	}
	t.Cleanup(stop)
	testutil.Eventually(t, "the owner answers", func() bool {
		nc, err := journal.Connect(t.Context(), dir)
		if err != nil {
			return false
		}
		nc.Close()
		return true
	})
	return o, stop
}
