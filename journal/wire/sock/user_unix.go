//go:build unix

package sock

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// tmp is the system's directory of temporary files.
const tmp = "/tmp"

// ownedByUs reports whether a file belongs to the current user.
func ownedByUs(fi fs.FileInfo) bool {
	st, ok := fi.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}

// private reports whether only the owning user has access to a file.
func private(fi fs.FileInfo) bool { return fi.Mode().Perm()&0o077 == 0 }

// refused reports whether an error means that nobody listens at a socket.
func refused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }
