package service

import (
	"net"
	"os"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// views holds links below /proc/PID. If all of them are equal for two processes, every path and process id means the same to both.
var views = [...]string{"ns/mnt", "ns/pid", "root"}

// ownViews returns the targets of the links for this process, empty if the system does not report them.
var ownViews = sync.OnceValue(func() (all [len(views)]string) {
	for i, v := range views {
		all[i], _ = os.Readlink("/proc/self/" + v)
	}
	return all
})

// isNeighbour reports whether the process at the other end of a connection is this user's and sees the same files and processes. The system
// reports a process in another namespace under the id 0, or under an id that another process has here.
func isNeighbour(conn *net.UnixConn) bool {
	raw, err := conn.SyscallConn()
	if err != nil {
		return false
	}
	var peer *unix.Ucred
	controlErr := raw.Control(func(fd uintptr) { peer, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED) })
	if controlErr != nil || err != nil {
		return false
	}
	if peer.Pid <= 0 || int(peer.Uid) != os.Geteuid() {
		return false
	}
	here := ownViews()
	for i, v := range views {
		view, err := os.Readlink("/proc/" + strconv.Itoa(int(peer.Pid)) + "/" + v)
		if err != nil || view != here[i] {
			return false
		}
	}
	return true
}
