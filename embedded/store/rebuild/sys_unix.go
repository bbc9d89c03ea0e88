//go:build unix

package rebuild

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// freeSpace is what this user may still write to the file system of dir, in
// bytes.
func freeSpace(dir string) (uint64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, err
	}
	return uint64(st.Bavail) * uint64(st.Bsize), nil
}

// ours says whether what an error names belongs to who asks, so that they can give themselves access to it.
func ours(err error) bool {
	var path *fs.PathError
	if !errors.As(err, &path) {
		return false
	}
	fi, err := os.Lstat(path.Path)
	if err != nil {
		return false
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}
