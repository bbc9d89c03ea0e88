// Package disk is the one door to files: it opens them without waiting, whatever stands at their path (a pipe, a
// directory, a device, a link), reads them within a bound, and makes changes to directories durable. Nothing else of ours
// opens a path that may exist; a test holds the rest of the code to it.
package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ErrNotRegular is returned for anything that is not a regular file.
var ErrNotRegular = errors.New("not a regular file")

// ErrTooLarge is returned for a file that is longer than the caller allows.
var ErrTooLarge = errors.New("file is too large")

// Open opens a regular file for reading, following links. Unlike os.Open it never
// waits: for the other end of a pipe that would be for ever. The error is
// ErrNotRegular for anything but a file.
func Open(path string) (*os.File, fs.FileInfo, error) {
	return openRegular(path, os.O_RDONLY, 0)
}

func openRegular(path string, flag int, mode fs.FileMode) (*os.File, fs.FileInfo, error) {
	return openKind(path, flag, mode, 0)
}

// openKind opens a regular file, or one of another type.
func openKind(path string, flag int, mode, also fs.FileMode) (*os.File, fs.FileInfo, error) {
	f, err := os.OpenFile(path, flag|noWait, mode)
	if err != nil {
		// Each kind of what is no file has an error of its own when it is opened for writing.
		if fi, statErr := os.Stat(path); statErr == nil && !fi.Mode().IsRegular() {
			err = &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
		}
		return nil, nil, err
	}
	fi, err := f.Stat()
	if err == nil && fi.Mode().Type()&^also != 0 {
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
