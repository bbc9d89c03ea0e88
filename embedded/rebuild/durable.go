package rebuild

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"journal/journal/disk"
)

// rename renames within a directory and syncs it. In a container, an overlay file system does not rename a directory of the image: then the
// content is moved. A killed rename can be repeated.
func rename(from, to string) error {
	err := os.Rename(from, to)
	if errors.Is(err, syscall.EXDEV) {
		err = moveContent(from, to)
	}
	if err != nil {
		return err
	}
	return disk.SyncDir(filepath.Dir(to))
}

// moveContent moves what a directory holds into another, which may have a part of it already, and removes the directory.
func moveContent(from, to string) error {
	if err := os.Mkdir(to, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	entries, err := disk.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := rename(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
			return err
		}
	}
	return os.Remove(from)
}

// exists reports whether there is a file or directory at path. It returns true if that cannot be determined.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// sizeOf returns the size of the files below a directory, in bytes, without unreadable ones.
func sizeOf(dir string) uint64 {
	n := uint64(0)
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		if fi, err := d.Info(); err == nil {
			n += uint64(fi.Size())
		}
		return nil
	})
	return n
}
