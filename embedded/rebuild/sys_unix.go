//go:build unix

package rebuild

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// accessAdvice returns the command that lets this user access the files of a directory. It returns "" if the file of a path error belongs to
// this user: then a repair can change its mode.
func accessAdvice(err error, dir string) string {
	if isOwnFile(err) {
		return ""
	}
	return fmt.Sprintf("chown -R %d '%s' && chmod -R u+rwX '%s', as a user who may do that", os.Geteuid(), dir, dir)
}

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
