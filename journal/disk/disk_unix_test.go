//go:build unix

package disk_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
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

// A directory may have the signs of patterns in its path, and anything in it.
func TestMatch(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a[b]*")
	if err := errors.Join(os.MkdirAll(filepath.Join(dir, "b", "c"), 0o700), unix.Mkfifo(filepath.Join(dir, "pipe"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if all := disk.Match(dir, "*/*"); !slices.Equal(all, []string{filepath.Join(dir, "b", "c")}) {
		t.Errorf("matches %q", all)
	}
	if all := disk.Match(filepath.Join(dir, "none"), "*"); all != nil {
		t.Errorf("matches %q", all)
	}
}

// Nobody reads from the pipe either; with somebody who does it is still no file.
func TestPipeIsNotWrittenTo(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := disk.WriteFile(path, []byte("x"), 0o600); !errors.Is(err, disk.ErrNotRegular) {
			t.Errorf("write: %v", err)
		}
		if _, err := disk.ReadDir(path); !errors.Is(err, unix.ENOTDIR) {
			t.Errorf("list: %v", err)
		}
		if _, err := disk.OpenRoot(path); !errors.Is(err, unix.ENOTDIR) {
			t.Errorf("open as a root: %v", err)
		}
		reader, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer reader.Close()
	}
	if err := disk.ReplaceDurable(path, []byte("x")); err != nil {
		t.Error(err)
	}
	if b, err := disk.ReadFile(path, 1); err != nil || string(b) != "x" {
		t.Errorf("%q, %v in the place of the pipe", b, err)
	}
}
