package main

import "syscall"

// readable waits at most wait ns until fd, which is less than 32, can be read, and reports whether it can. After a signal it returns
// false.
func readable(fd int, wait int64) bool {
	var set syscall.FdSet
	set.Bits[0] |= 1 << fd
	t := syscall.NsecToTimeval(wait)
	return syscall.Select(fd+1, &set, nil, nil, &t) == nil && set.Bits[0] != 0
}

// isOurs reports whether the process at the other end of a connection belongs to this user. The system returns a structure that
// begins with a version, 0, and the id of the user, and writes only as much as fits into the buffer. The buffer of
// GetsockoptIPMreq has room for these two.
func isOurs(conn int) bool {
	const local, peerCredentials = 0, 1 // SOL_LOCAL, LOCAL_PEERCRED
	peer, err := syscall.GetsockoptIPMreq(conn, local, peerCredentials)
	if err != nil || peer.Multiaddr != [4]byte{} {
		return false
	}
	user := peer.Interface
	return int(user[0])|int(user[1])<<8|int(user[2])<<16|int(user[3])<<24 == syscall.Geteuid()
}

// dup makes the descriptor target a copy of source, and closes what target was before.
func dup(source, target int) error { return syscall.Dup2(source, target) }

// executable returns invokedPath, which may be that of a link to this program.
func executable() string { return invokedPath() }

// modTime returns when a file was last changed, in ns since 1970 UTC.
func modTime(st *syscall.Stat_t) int64 { return st.Mtimespec.Nano() }
