//go:build unix

package notes

import (
	"io/fs"
	"os"
	"syscall"
)

// openFlags opens a file for reading without waiting for the writer of a pipe (ADR-0007 rule 4).
const openFlags = os.O_RDONLY | syscall.O_NONBLOCK

// inode returns the number that distinguishes a replaced file from one that was changed, 0 if unknown.
func inode(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Ino)
	}
	return 0
}
