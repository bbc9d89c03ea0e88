package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// OpenDir opens a directory, following links. It waits for nothing, and the error is that
// of the system for anything else.
func OpenDir(path string) (*os.File, error) { return openDir(path, 0) }

// OpenDirItself is OpenDir for a path that is not to be a link.
func OpenDirItself(path string) (*os.File, error) { return openDir(path, NoFollow) }

// ReadDir is os.ReadDir, without waiting for anything.
func ReadDir(path string) ([]fs.DirEntry, error) {
	dir, err := OpenDir(path)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	all, err := dir.ReadDir(-1)
	slices.SortFunc(all, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return all, err
}

// OpenRoot is os.OpenRoot, which waits for a pipe.
func OpenRoot(path string) (*os.Root, error) {
	dir, err := OpenDir(path)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return os.OpenRoot(path)
}

// SyncDir makes the names in a directory durable: what was created in it, renamed
// and removed before.
func SyncDir(path string) error {
	dir, err := OpenDir(path)
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
