package main

import "syscall"

// readable waits until a file can be read without waiting, for some ns; false is also a signal.
func readable(fd int, wait int64) bool {
	var set syscall.FdSet
	set.Bits[0] |= 1 << fd
	t := syscall.NsecToTimeval(wait)
	return syscall.Select(fd+1, &set, nil, nil, &t) == nil && set.Bits[0] != 0
}

// isOurs says whether the process at the other end of a connection is this user's. Here the
// socket's file, in a directory of mode 0700, decides.
func isOurs(int) bool { return true }

// replace makes to mean what from means.
func replace(from, to int) error { return syscall.Dup2(from, to) }

// self is the path of this program.
func self() string { return called() }

func changed(st *syscall.Stat_t) int64 { return st.Mtimespec.Nano() }
