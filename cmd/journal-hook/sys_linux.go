package main

import "syscall"

// readable waits at most wait ns until fd, which is less than 32, can be read, and reports whether it can. After a signal it returns
// false.
func readable(fd int, wait int64) bool {
	var set syscall.FdSet
	set.Bits[0] |= 1 << fd
	t := syscall.NsecToTimeval(wait)
	n, err := syscall.Select(fd+1, &set, nil, nil, &t)
	return err == nil && n > 0
}

// isOurs reports whether the process at the other end of a connection belongs to this user.
func isOurs(conn int) bool {
	peer, err := syscall.GetsockoptUcred(conn, syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	return err == nil && int(peer.Uid) == syscall.Geteuid()
}

// dup makes the descriptor target a copy of source, and closes what target was before. Not every Linux has dup2.
func dup(source, target int) error { return syscall.Dup3(source, target, 0) }

// modTime returns when a file was last changed, in ns since 1970 UTC.
func modTime(st *syscall.Stat_t) int64 { return st.Mtim.Nano() }

// executable returns the path of this program.
func executable() string {
	b := make([]byte, 4<<10)
	n, err := syscall.Readlink("/proc/self/exe", b)
	if err != nil {
		return invokedPath() // /proc is not mounted
	}
	return string(b[:n])
}
