//go:build unix

package spool

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"journal/journal/disk"
)

// openDir opens the directory at path for reading. The error is [ErrUnsafe] for a
// directory into which others may put files, because each file would become an
// event of this user, and [fs.ErrNotExist] for a missing one.
func openDir(path string) (*os.File, error) {
	dir, err := disk.OpenDirItself(path)
	if err != nil {
		// Systems return different errors for a link, so the kind of the file
		// decides.
		if fi, statErr := os.Lstat(path); statErr == nil && !fi.IsDir() {
			return nil, notDir(path, fi)
		} else if statErr == nil && errors.Is(err, fs.ErrPermission) {
			return nil, cmp.Or(checkDir(path, fi), closed(path, "read"))
		}
		return nil, err
	}
	fi, err := dir.Stat()
	if err != nil {
		return nil, errors.Join(err, dir.Close())
	}
	if err := checkDir(path, fi); err != nil {
		return nil, errors.Join(err, dir.Close())
	}
	return dir, nil
}

// checkDir returns ErrUnsafe for a directory that belongs to another user, or that
// others can write to.
func checkDir(path string, fi fs.FileInfo) error {
	me := os.Geteuid()
	if st, ok := fi.Sys().(*syscall.Stat_t); ok && int(st.Uid) != me {
		advice := fmt.Sprintf("try: sudo chown %d %q && chmod 700 %q", me, path, path)
		if me == 0 { // the spool of a person who runs this by sudo must stay theirs
			advice = "run it as that user, without sudo"
		}
		return fmt.Errorf("%w: %s belongs to user %d, not to %d; %s", ErrUnsafe, path, st.Uid, me, advice)
	}
	if fi.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("%w: %s can be written by others (mode %04o); try: chmod 700 %q",
			ErrUnsafe, path, fi.Mode().Perm(), path)
	}
	return nil
}

// checkWritable returns an error if files cannot be created in or removed from the directory at path.
func checkWritable(path string) error {
	err := unix.Access(path, unix.W_OK|unix.X_OK)
	if errors.Is(err, fs.ErrPermission) {
		return closed(path, "written")
	}
	return err
}

// closed returns the error for a directory of this user whose mode forbids an action, such as "written".
func closed(path, action string) error {
	return fmt.Errorf("%w: %s cannot be %s; try: chmod 700 %q", ErrUnsafe, path, action, path)
}

// openFile opens an entry for reading. It neither follows a link nor waits for the
// writer of a FIFO.
func openFile(path string) (*os.File, error) {
	return disk.OpenFile(path, os.O_RDONLY|disk.NoFollow, 0)
}

// notDir returns the error for a spool directory whose path is that of a link or of
// another file.
func notDir(path string, fi fs.FileInfo) error {
	if fi.Mode()&fs.ModeSymlink != 0 {
		return fmt.Errorf("%w: %s is a symbolic link; try: rm %q && mkdir %q && chmod 700 %q",
			ErrUnsafe, path, path, path, path)
	}
	return fmt.Errorf("%w: %s is not a directory; try: mv %q %q", ErrUnsafe, path, path, path+".old")
}
