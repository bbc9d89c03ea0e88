package ownership

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"journal/journal/disk"
)

// CheckLock says in the words of TryLock why nobody can take the lock of dir, whoever has it: something else stands in
// the place of its file. It changes nothing.
func CheckLock(dir string) error {
	f, err := disk.OpenFile(lockPath(dir), os.O_RDWR|disk.NoFollow, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("lock %s: %w", dir, err)
	}
	return f.Close()
}

// MendLock puts aside what stands in the place of the lock file and is no file: nobody can hold it.
func MendLock(dir string) error {
	fi, err := os.Lstat(lockPath(dir))
	if errors.Is(err, fs.ErrNotExist) || err == nil && fi.Mode().IsRegular() {
		return nil
	}
	if err == nil {
		_, err = disk.PutAside(lockPath(dir))
	}
	return err
}
