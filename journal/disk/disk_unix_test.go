//go:build unix

package disk_test

import (
	"errors"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"journal/journal/disk"
)

// Nobody will ever write into the pipe.
func TestPipeIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := disk.ReadFile(path, 1); !errors.Is(err, disk.ErrNotRegular) {
		t.Errorf("error %v", err)
	}
}
