package sock

import "golang.org/x/sys/unix"

// credentials returns the user of the process at the other end of a socket.
func credentials(fd int) (uid int, err error) {
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, err
	}
	return int(cred.Uid), nil
}
