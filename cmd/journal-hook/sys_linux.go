package main

import "syscall"

// readable waits until a file can be read without waiting, for some ns; false is also a signal.
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

// replace makes to mean what from means. Not every Linux has dup2.
func replace(from, to int) error { return syscall.Dup3(from, to, 0) }

func changed(st *syscall.Stat_t) int64 { return st.Mtim.Nano() }

// self is the path of this program.
func self() string {
	b := make([]byte, 4<<10)
	n, err := syscall.Readlink("/proc/self/exe", b)
	if err != nil {
		return called() // nothing is mounted there
	}
	return string(b[:n])
}
