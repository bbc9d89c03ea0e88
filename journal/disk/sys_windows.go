package disk

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// NoFollow is 0: Windows has no such flag.
const NoFollow = 0

// SyncOpenDir does nothing: Windows cannot flush a directory, and makes names durable by
// the journal of its file system.
func SyncOpenDir(*os.File) error { return nil }

// noWait is 0: Windows has no pipes and devices among the paths of files.
const noWait = 0

// openDir opens a directory. It ignores the flags.
func openDir(path string, _ int) (*os.File, error) {
	dir, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	fi, err := dir.Stat()
	if err != nil {
		dir.Close()
		return nil, err
	}
	if !fi.IsDir() {
		dir.Close()
		return nil, &fs.PathError{Op: "open", Path: path, Err: syscall.ENOTDIR}
	}
	return dir, nil
}

// FileOwner returns -1, -1: a new file belongs to the owner of its directory.
func FileOwner(string) (user, group int) { return -1, -1 }

// Lock waits for the lock of a file, and takes it. Closing the file releases it.
func Lock(f *os.File) error {
	// The locked range is beyond any content, because other processes cannot read a locked range.
	offset := windows.Overlapped{OffsetHigh: 1 << 30}
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, &offset)
}
