//go:build unix

package rebuild

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// isOwnFile reports whether the file of a path error belongs to this user, who can then change its mode.
func isOwnFile(err error) bool {
	path, ok := errors.AsType[*fs.PathError](err)
	if !ok {
		return false
	}
	fi, err := os.Lstat(path.Path)
	if err != nil {
		return false
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}
