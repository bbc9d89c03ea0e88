package ownership

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"journal/journal/disk"
	"journal/journal/spool/losses"
)

// Prepare creates dir and its missing parents with mode 0700, whatever the umask, and sets the mode of an existing dir of the current user
// to 0700. It returns ErrUnsafeDir for a symlink, and for a directory that belongs to another user or can be written by others, because
// files in it can be theirs. The error holds advice, where possible the command that makes the directory private.
func Prepare(dir string) error {
	if err := disk.MakePrivate(dir); err != nil {
		return fmt.Errorf("prepare journal directory: %w", err)
	}
	fi, err := inspect(dir)
	if err != nil {
		return err
	}
	if fi.Mode().Perm() != 0o700 {
		if err := os.Chmod(dir, 0o700); err != nil {
			return fmt.Errorf("prepare journal directory: %w", err)
		}
	}
	_ = losses.Make(dir) // the file must exist before the disk is full; a journal works without it
	return nil
}

// Inspect checks a directory as Prepare does, without changing it. The error is fs.ErrNotExist if there is no directory, and ErrUnsafeDir
// for a directory that Prepare refuses.
func Inspect(dir string) error {
	_, err := inspect(dir)
	return err
}

// ownNames holds names of files and directories. Every journal directory in which anything was recorded has at least one of them.
var ownNames = []string{"owner.lock", "owner.drops", "spool", "store", "archive", "format"}

// HasOtherUse reports whether a directory is used for something else, for instance as a project: it was never made private, and has files
// but none of a journal. An owner must not turn such a directory into a journal.
func HasOtherUse(dir string) bool {
	fi, err := os.Stat(dir)
	if err != nil || fi.Mode().Perm() == 0o700 {
		return false
	}
	names, err := disk.ReadDir(dir)
	return err == nil && len(names) > 0 && !slices.ContainsFunc(names, func(e os.DirEntry) bool { return slices.Contains(ownNames, e.Name()) })
}

// Creatable returns an error unless a missing directory can be created. To find out, it creates another directory in the nearest existing
// parent and removes it again.
func Creatable(dir string) error {
	parent := filepath.Dir(dir)
	for {
		_, err := os.Lstat(parent)
		if err == nil || filepath.Dir(parent) == parent {
			break
		}
		parent = filepath.Dir(parent)
	}
	probe, err := os.MkdirTemp(parent, ".journal-try-")
	if err != nil {
		return err
	}
	return os.Remove(probe)
}

// inspect implements Inspect, and also returns the FileInfo of the directory.
func inspect(dir string) (fs.FileInfo, error) {
	fi, err := os.Lstat(dir)
	if err != nil {
		return nil, fmt.Errorf("journal directory: %w", err)
	}
	switch {
	case fi.Mode()&fs.ModeSymlink != 0:
		return nil, fmt.Errorf("%w: %s is a symbolic link; name the directory it points to", ErrUnsafeDir, dir)
	case !fi.IsDir():
		return nil, fmt.Errorf("%w: %s is not a directory", ErrUnsafeDir, dir)
	}
	return fi, checkOwner(dir, fi)
}
