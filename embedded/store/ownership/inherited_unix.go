//go:build unix

package ownership

import (
	"strconv"

	"golang.org/x/sys/unix"

	"journal/journal/disk"
)

// manyDescriptors bounds the descriptors that are tried if the system does not list open ones.
const manyDescriptors = 1 << 16

// CloseInherited closes all inherited files except the standard streams and the lock of dir. The program that called the hook may have a
// lock or a pipe open, which would stay open as long as the owner runs. An owner calls CloseInherited first.
//
// Inherited files are those without close-on-exec: Go, its runtime and the system's libraries open every file with that flag.
func CloseInherited(dir string) {
	for _, fd := range openDescriptors() {
		if fd < inheritedFD || fd == inheritedFD && isLockFile(dir) {
			continue
		}
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
			_ = unix.Close(fd) // closes fd even if it returns an error
		}
	}
}

// isLockFile reports whether inheritedFD is the lock file of dir.
func isLockFile(dir string) bool {
	var have, want unix.Stat_t
	return unix.Fstat(inheritedFD, &have) == nil && unix.Lstat(lockPath(dir), &want) == nil && have.Dev == want.Dev && have.Ino == want.Ino
}

// openDescriptors returns a list that contains all open descriptors, and perhaps others.
func openDescriptors() (all []int) {
	if list, err := disk.OpenDir("/dev/fd"); err == nil {
		names, err := list.Readdirnames(-1)
		list.Close()
		for _, name := range names {
			if fd, err := strconv.Atoi(name); err == nil {
				all = append(all, fd)
			}
		}
		if err == nil && len(all) > 3 { // with the three standard ones the list has its own; a fixed list has no more than three
			return all
		}
	}
	var limit unix.Rlimit
	most := uint64(manyDescriptors)
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) == nil {
		most = min(most, limit.Cur)
	}
	all = all[:0]
	for fd := range int(most) {
		all = append(all, fd)
	}
	return all
}
