package main

import (
	"syscall"
	"unsafe"
)

// read and send are those of the system without telling the scheduler: it would start a
// thread for goroutines that there are not.
func read(fd int, b []byte) (int, error) { return transfer(syscall.SYS_READ, fd, b) }

func send(fd int, b []byte) (int, error) { return transfer(syscall.SYS_WRITE, fd, b) }

func transfer(call uintptr, fd int, b []byte) (int, error) {
	n, _, err := syscall.RawSyscall(call, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)))
	if err != 0 {
		return 0, err
	}
	return int(n), nil
}

// readable waits until a file can be read without waiting, for some ns; false is also a signal.
func readable(fd int, wait int64) bool {
	const in = 1 // POLLIN
	asked := struct {
		fd            int32
		events, given int16
	}{int32(fd), in, 0}
	t := syscall.NsecToTimespec(wait)
	n, _, err := syscall.RawSyscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&asked)), 1, uintptr(unsafe.Pointer(&t)), 0, 0, 0)
	return err == 0 && n > 0
}

// isOurs says whether the process at the other end of a connection is this user's.
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
