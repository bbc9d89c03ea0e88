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

// Prepare makes dir, and the directories above it that are missing, with mode
// 0700 whatever the umask, and makes an existing dir of the current user 0700.
// It returns ErrUnsafeDir for a dir that is a symlink, belongs to another user
// or can be written by others, because what is in it can then be theirs; the
// error holds the command that makes it private.
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
	// Now, because a full disk takes no file. Without it a journal works as well.
	_ = losses.Make(dir)
	return nil
}

// Inspect looks at a directory as Prepare does and changes nothing. The error is
// fs.ErrNotExist for none and ErrUnsafeDir for one that Prepare refuses.
func Inspect(dir string) error {
	_, err := inspect(dir)
	return err
}

// parts are names of which every journal directory has one as soon as anything was recorded.
var parts = []string{"owner.lock", "owner.drops", "spool", "store", "archive", "format"}

// IsOthers reports whether a directory is somebody's, for instance a project's, which an owner would make a journal: it
// was never made private, and has files of which none is a journal's.
func IsOthers(dir string) bool {
	fi, err := os.Stat(dir)
	if err != nil || fi.Mode().Perm() == 0o700 {
		return false
	}
	names, err := disk.ReadDir(dir)
	return err == nil && len(names) > 0 && !slices.ContainsFunc(names, func(e os.DirEntry) bool { return slices.Contains(parts, e.Name()) })
}

// Creatable tries whether a directory that is not there can be made, and leaves nothing of
// the trial behind.
func Creatable(dir string) error {
	parent := filepath.Dir(dir)
	for {
		_, err := os.Lstat(parent)
		if err == nil || filepath.Dir(parent) == parent {
			break
		}
		parent = filepath.Dir(parent)
	}
	tried, err := os.MkdirTemp(parent, ".journal-try-")
	if err != nil {
		return err
	}
	return os.Remove(tried)
}

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
