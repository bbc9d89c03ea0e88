package disk

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// NoFollow is 0: there is no such flag.
const NoFollow = 0

// Sync is SyncDir of an open directory. It does nothing: Windows cannot flush a
// directory, and writes names through its own journal.
func Sync(*os.File) error { return nil }

// noWait is 0: on Windows nothing that opening would wait for has a path among files.
const noWait = 0

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

// Owner returns -1, -1: a new file belongs to the owner of its directory.
func Owner(string) (user, group int) { return -1, -1 }

// Lock waits until no other open file has the lock of this one. It ends with the file.
func Lock(f *os.File) error {
	// Beyond any content, because a lock keeps others from reading the range that it covers.
	at := windows.Overlapped{OffsetHigh: 1 << 30}
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, &at)
}
