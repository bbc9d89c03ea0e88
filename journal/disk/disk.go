// Package disk opens files without waiting, whatever stands at their path (a pipe, a directory, a link), and makes
// changes to directories durable.
package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// ErrNotRegular is returned for anything that is not a regular file.
var ErrNotRegular = errors.New("not a regular file")

// ErrTooLarge is returned for a file that is longer than the caller allows.
var ErrTooLarge = errors.New("file is too large")

// Open opens a regular file for reading, following links. Unlike os.Open it never
// waits: for the other end of a pipe that would be for ever. The error is
// ErrNotRegular for anything but a file.
func Open(path string) (*os.File, fs.FileInfo, error) {
	f, err := openNow(path)
	if err != nil {
		return nil, nil, err
	}
	fi, err := f.Stat()
	if err == nil && !fi.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, fi, nil
}

// ReadFile reads a regular file of at most so many bytes. The error is ErrNotRegular,
// ErrTooLarge, or that of the system.
func ReadFile(path string, most int64) ([]byte, error) {
	f, fi, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size := fi.Size()
	if size > most {
		return nil, &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("%w: %d bytes", ErrTooLarge, size)}
	}
	// The size is that at the time of opening: what is appended meanwhile is left for the next read.
	b := make([]byte, size)
	n, err := io.ReadFull(f, b)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil // it was cut meanwhile
	}
	return b[:n], err
}

// Replace puts a file in the place of what is at path, if anything, in one step: whoever
// reads, or replaces it at the same time, has one or the other whole. It is not durable.
func Replace(path string, b []byte, mode fs.FileMode) error {
	aside := filepath.Join(filepath.Dir(path), fmt.Sprintf("tmp-%016x", rand.Uint64()))
	f, err := os.OpenFile(aside, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(aside, path)
	}
	if err != nil {
		_ = os.Remove(aside)
	}
	return err
}

// SyncDir makes the names in a directory durable: what was created in it, renamed
// and removed before.
func SyncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	defer dir.Close()
	return Sync(dir)
}

// MakePrivate is os.MkdirAll with mode 0700, a mode that the umask cannot narrow, and with
// every new name made durable: a spooled event must not vanish with its
// directory at a power cut.
func MakePrivate(dir string) error {
	if _, err := os.Lstat(dir); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	parent := filepath.Dir(dir)
	if parent != dir {
		if err := MakePrivate(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		if errors.Is(err, fs.ErrExist) { // Another hook was faster.
			return nil
		}
		return err
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return err
	}
	return SyncDir(parent)
}
