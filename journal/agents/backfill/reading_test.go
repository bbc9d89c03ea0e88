package backfill

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"testing"
	"time"

	_ "journal/journal/agents/all"
	"journal/journal/agents/transcript"
)

// endless is a row without an end. Its reading is interrupted, and it must not be closed meanwhile.
type endless struct {
	interrupt func()
	closed    chan struct{}
	reading   atomic.Bool
	torn      atomic.Bool
}

func (e *endless) Read(b []byte) (int, error) {
	e.reading.Store(true)
	defer e.reading.Store(false)
	e.interrupt()
	select {
	case <-e.closed:
	case <-time.After(20 * time.Millisecond): // nobody closes it
	}
	return copy(b, "x"), nil
}

func (e *endless) Close() error {
	if e.reading.Load() {
		e.torn.Store(true)
	}
	close(e.closed)
	return nil
}

// Whoever interrupts an import closes nothing under its reader, and the reader ends within a row.
func TestInterruptedWithinARow(t *testing.T) {
	t.Parallel()
	form, err := transcript.Named("claude")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	row := &endless{interrupt: cancel, closed: make(chan struct{})}
	one := reading{file: transcript.File{Format: form, Path: "s1.jsonl", Open: func() (io.ReadCloser, error) { return row, nil }}}
	if err := one.load(ctx, form.Readers(nil)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if row.torn.Load() {
		t.Error("it was closed while it was read")
	}
}
