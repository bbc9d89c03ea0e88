//go:build unix

package disk

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// NoFollow is the flag of os.OpenFile that refuses a symbolic link as the last part
// of a path; 0 if there is no such flag.
const NoFollow = unix.O_NOFOLLOW

// Sync syncs an open directory, as SyncDir does by path. It returns nil on file systems that cannot sync a directory: they
// return EINVAL or ENOTSUP.
func Sync(dir *os.File) error {
	err := dir.Sync()
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) {
		return nil
	}
	return err
}

// noWait is the flag of os.OpenFile with which opening does not wait for a pipe or a device.
const noWait = unix.O_NONBLOCK

func openDir(path string, flag int) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|unix.O_DIRECTORY|noWait|flag, 0)
}

// Owner returns the user and group of a path, each -1 if unknown, as os.Chown takes them.
func Owner(path string) (user, group int) {
	var stat unix.Stat_t
	if unix.Stat(path, &stat) != nil {
		return -1, -1
	}
	return int(stat.Uid), int(stat.Gid)
}

// Lock waits until no other open file has the lock of this one. It ends with the file.
func Lock(f *os.File) error {
	for {
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
