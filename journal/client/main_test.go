package client_test

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"journal/embedded"
	"journal/embedded/owner"
	"journal/embedded/ownership"
	"journal/events"
	"journal/journal"
	"journal/journal/testutil"
)

// newDir is a journal directory that nobody owns yet.
func newDir(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "d")
	if err := ownership.Prepare(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// lock takes the ownership of dir until the test ends.
func lock(t testing.TB, dir string) *ownership.Lock {
	t.Helper()
	l, err := ownership.TryLock(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Release() })
	return l
}

// newServer is a server on dir without anybody who answers appenders.
func newServer(t testing.TB, dir string) *embedded.Server {
	t.Helper()
	s, err := embedded.Own(t.Context(), lock(t, dir), embedded.Options{Grace: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// serve runs the owner of dir until the test ends or stop is called.
func serve(t testing.TB, dir string) (o *owner.Owner, stop func()) {
	t.Helper()
	l := lock(t, dir)
	o, err := owner.Own(t.Context(), l, owner.Config{
		Logger: slog.New(slog.DiscardHandler), Version: "test",
		Settings: func() owner.Settings { return owner.Settings{Template: func(string) string { return "" }} },
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
		if err == nil {
			nc.Close()
		}
		return err == nil
	})
	return o, stop
}

// wrap makes the envelope of an event.
func wrap(t testing.TB, ev events.Event, m events.Meta) events.Envelope {
	t.Helper()
	e, err := events.Wrap(ev, m)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// all reads a sequence of events to its end.
func all(seq iter.Seq2[events.Envelope, error]) ([]events.Envelope, error) {
	var got []events.Envelope
	for e, err := range seq {
		if err != nil {
			return got, err
		}
		got = append(got, e)
	}
	return got, nil
}
