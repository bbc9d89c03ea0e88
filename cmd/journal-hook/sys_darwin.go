package main

import "syscall"

// readable waits at most wait ns until fd can be read. It also returns false if a signal
// interrupts it.
func readable(fd int, wait int64) bool {
	var set syscall.FdSet
	set.Bits[0] |= 1 << fd
	t := syscall.NsecToTimeval(wait)
	return syscall.Select(fd+1, &set, nil, nil, &t) == nil && set.Bits[0] != 0
}

// isOurs reports whether the process at the other end of a connection is this user's. The system fills in a structure whose
// first words are a version, 0, and the user. Into a shorter buffer, such as the one of GetsockoptIPMreq, it writes the
// beginning.
func isOurs(conn int) bool {
	const local, peerCredentials = 0, 1 // SOL_LOCAL, LOCAL_PEERCRED
	peer, err := syscall.GetsockoptIPMreq(conn, local, peerCredentials)
	if err != nil || peer.Multiaddr != [4]byte{} {
		return false
	}
	user := peer.Interface
	return int(user[0])|int(user[1])<<8|int(user[2])<<16|int(user[3])<<24 == syscall.Geteuid()
}

// dup duplicates the descriptor from as the number to, and closes what was open there.
func dup(from, to int) error { return syscall.Dup2(from, to) }

// executable returns the path of this program.
func executable() string { return invokedPath() }

func modTime(st *syscall.Stat_t) int64 { return st.Mtimespec.Nano() }
