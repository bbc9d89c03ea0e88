package service

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"journal/embedded/store/ownership"
	"journal/journal/wire/sock"
)

// lateTimer is a context whose deadline can pass before the context ends, as on a busy machine, where timers fire late.
type lateTimer struct {
	context.Context
	deadline time.Time
}

func (c lateTimer) Deadline() (time.Time, bool) { return c.deadline, true }

// While a process holds the lock and does not listen, the error says so, whichever check meets the deadline first.
func TestConnectWhileHeldTimesOut(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	lock, err := ownership.TryLock(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release()
	ctx := lateTimer{t.Context(), time.Now().Add(200 * time.Millisecond)}
	if _, err := connectWhileHeld(ctx, dir); !errors.Is(err, sock.ErrNoOwner) {
		t.Errorf("error %v", err)
	}
}
