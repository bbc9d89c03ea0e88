package disk_test

import (
	"context"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"journal/cmd/testkit/testutil"
	"journal/journal/disk"
)

// Until does not change what is read, and ends with its context even if no byte arrives.
func TestUntil(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("a long text ", 1000)
	if err := iotest.TestReader(disk.Until(t.Context(), strings.NewReader(text)), []byte(text)); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	silent, w := io.Pipe()
	defer w.Close()
	r, b := disk.Until(ctx, silent), make([]byte, 3)
	go w.Write([]byte("one")) //nolint:errcheck // the reader says it
	if _, err := io.ReadFull(r, b); err != nil || string(b) != "one" {
		t.Errorf("%q was read, %v", b, err)
	}
	go cancel()
	_, err := r.Read(b)
	testutil.WantError(t, err, context.Canceled)
	go w.Write([]byte("two")) //nolint:errcheck // nobody reads it
	_, err = r.Read(b)
	testutil.WantError(t, err, context.Canceled)
}
