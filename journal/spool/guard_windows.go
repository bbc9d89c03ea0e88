package spool

import (
	"fmt"
	"io/fs"
	"os"

	"journal/journal/disk"
)

// openDir opens the directory at path for reading. The error is [ErrUnsafe] for
// anything but a directory, such as a symbolic link. The access list that the
// directory inherits from the user's profile decides who may write to it.
func openDir(path string) (*os.File, error) {
	fi, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !fi.IsDir() {
		return nil, fmt.Errorf("%w: %s is not a directory; remove it", ErrUnsafe, path)
	}
	return disk.OpenDir(path)
}

// openFile opens an entry for reading. The error is fs.ErrInvalid for anything but
// a regular file.
func openFile(path string) (*os.File, error) {
	fi, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !fi.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrInvalid}
	}
	f, _, err := disk.Open(path)
	return f, err
}

// checkWritable returns nil: the access list decides who can write.
func checkWritable(string) error { return nil }
