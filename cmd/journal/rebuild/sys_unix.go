//go:build unix

package rebuild

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// syncDir makes the names in dir durable. File systems that cannot sync a
// directory say so with EINVAL or ENOTSUP; there is nothing more to do then.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}

// freeSpace is what this user may still write to the file system of dir, in
// bytes.
func freeSpace(dir string) (uint64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, err
	}
	return uint64(st.Bavail) * uint64(st.Bsize), nil
}
