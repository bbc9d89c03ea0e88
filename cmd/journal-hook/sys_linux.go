package main

import "syscall"

// readable waits at most wait ns until fd can be read. It also returns false if a signal
// interrupts it.
func readable(fd int, wait int64) bool {
	var set syscall.FdSet
	set.Bits[0] |= 1 << fd
	t := syscall.NsecToTimeval(wait)
	n, err := syscall.Select(fd+1, &set, nil, nil, &t)
	return err == nil && n > 0
}

// isOurs reports whether the process at the other end of a connection is this user's.
func isOurs(conn int) bool {
	peer, err := syscall.GetsockoptUcred(conn, syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	return err == nil && int(peer.Uid) == syscall.Geteuid()
}

// dup makes the descriptor "to" a copy of "from", and closes what "to" was before. Not every Linux has dup2.
func dup(from, to int) error { return syscall.Dup3(from, to, 0) }

func modTime(st *syscall.Stat_t) int64 { return st.Mtim.Nano() }

// executable returns the path of this program.
func executable() string {
	b := make([]byte, 4<<10)
	n, err := syscall.Readlink("/proc/self/exe", b)
	if err != nil {
		return invokedPath() // nothing is mounted there
	}
	return string(b[:n])
}
