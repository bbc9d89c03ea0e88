//go:build unix

package rebuild

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// isOwn reports whether the file of a path error belongs to this user, who can then change its mode.
func isOwn(err error) bool {
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
