//go:build unix

package sock

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

const tmp = "/tmp"

func ownedByUs(fi fs.FileInfo) bool {
	st, ok := fi.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}

func private(fi fs.FileInfo) bool { return fi.Mode().Perm()&0o077 == 0 }

func refused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }
