package hooks

import (
	"net"
	"os"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// views are what makes a path, or the id of a process, mean the same to two processes.
var views = [...]string{"ns/mnt", "ns/pid", "root"}

// ours is what this process sees, by views; empty where the system does not say.
var ours = sync.OnceValue(func() (all [len(views)]string) {
	for i, v := range views {
		all[i], _ = os.Readlink("/proc/self/" + v)
	}
	return all
})

// isNeighbour reports whether the process at the other end is this user's and sees the same
// files and processes. The id of one in another namespace is 0, or somebody else's.
func isNeighbour(conn *net.UnixConn) bool {
	raw, err := conn.SyscallConn()
	if err != nil {
		return false
	}
	var peer *unix.Ucred
	if cerr := raw.Control(func(fd uintptr) { peer, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED) }); cerr != nil || err != nil {
		return false
	}
	if peer.Pid <= 0 || int(peer.Uid) != os.Geteuid() {
		return false
	}
	here := ours()
	for i, v := range views {
		there, err := os.Readlink("/proc/" + strconv.Itoa(int(peer.Pid)) + "/" + v)
		if err != nil || there != here[i] {
			return false
		}
	}
	return true
}
