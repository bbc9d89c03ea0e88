package rebuild

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"journal/journal/disk"
)

// rename renames within a directory and syncs it.
func rename(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return disk.SyncDir(filepath.Dir(to))
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
