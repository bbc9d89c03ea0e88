package disk

import (
	"os"

	"golang.org/x/sys/windows"
)

// Lock waits until no other open file has the lock of this one. It ends with the file.
func Lock(f *os.File) error {
	// Beyond any content, because a lock keeps others from reading the range that it covers.
	at := windows.Overlapped{OffsetHigh: 1 << 30}
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, &at)
}
