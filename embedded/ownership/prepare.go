package ownership

import (
	"fmt"
	"io/fs"
	"os"

	"journal/journal/disk"
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
	if err != nil || fi.Mode().Perm() == 0o700 {
		return err
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return fmt.Errorf("prepare journal directory: %w", err)
	}
	return nil
}

// Inspect looks at a directory as Prepare does and changes nothing. The error is
// fs.ErrNotExist for none and ErrUnsafeDir for one that Prepare refuses.
func Inspect(dir string) error {
	_, err := inspect(dir)
	return err
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
