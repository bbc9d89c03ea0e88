//go:build unix

package disk

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// NoFollow is the flag of os.OpenFile that refuses a symbolic link as the last part
// of a path.
const NoFollow = unix.O_NOFOLLOW

// SyncOpenDir syncs an open directory. It ignores the errors of file systems that cannot sync a directory.
func SyncOpenDir(dir *os.File) error {
	err := dir.Sync()
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) {
		return nil
	}
	return err
}

// noWait is the flag of os.OpenFile that keeps it from waiting for a pipe or a device.
const noWait = unix.O_NONBLOCK

// openDir opens a directory. flag has further flags of os.OpenFile.
func openDir(path string, flag int) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|unix.O_DIRECTORY|noWait|flag, 0)
}

// FileOwner returns the user and group of a path, each -1 if unknown, as os.Chown takes them.
func FileOwner(path string) (user, group int) {
	var stat unix.Stat_t
	if unix.Stat(path, &stat) != nil {
		return -1, -1
	}
	return int(stat.Uid), int(stat.Gid)
}

// Lock waits for the lock of a file, and takes it. Closing the file releases it.
func Lock(f *os.File) error {
	for {
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
