//go:build unix

package notes

import (
	"io/fs"
	"os"
	"syscall"
)

// openFlags keep open from waiting for the other end of a pipe (ADR-0007 rule 4).
const openFlags = os.O_RDONLY | syscall.O_NONBLOCK

// inode distinguishes a replaced file from one that was written to.
func inode(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Ino)
	}
	return 0
}
