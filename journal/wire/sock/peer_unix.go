//go:build linux || darwin

package sock

import "net"

// peerUID returns the user of the process at the other end of a connection. known is true unless there is an error.
func peerUID(c *net.UnixConn) (uid int, known bool, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, false, err
	}
	var credErr error
	if err := raw.Control(func(fd uintptr) { uid, credErr = credentials(int(fd)) }); err != nil {
		return 0, false, err
	}
	return uid, credErr == nil, credErr
}
