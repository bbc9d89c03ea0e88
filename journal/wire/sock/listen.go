package sock

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"strconv"
	"strings"
	"time"
)

// Listen listens at a path that ends in .sock, with mode 0600. It binds under another name and
// renames, so that a client never meets a socket with the wrong mode, or one that nobody listens
// on yet. A socket that a dead owner left is replaced; anything else in its place is moved aside,
// never deleted. The caller has the lock of the directory, and removes the socket.
func Listen(path string) (l *net.UnixListener, err error) {
	// Shorter than the final name, which may be as long as names may be.
	aside := strings.TrimSuffix(path, ".sock") + ".new"
	if err := clearPlace(aside); err != nil {
		return nil, err
	}
	l, err = net.ListenUnix("unix", &net.UnixAddr{Name: aside, Net: "unix"})
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false) // it would unlink by name, whosever the file is by then
	defer func() {
		if err != nil {
			err = errors.Join(err, l.Close(), os.Remove(aside))
		}
	}()
	if err := os.Chmod(aside, 0o600); err != nil {
		return nil, err
	}
	if err := clearPlace(path); err != nil {
		return nil, err
	}
	return l, os.Rename(aside, path)
}

// clearPlace makes way for a socket at path: a socket is stale, since the caller has
// the lock, and goes; anything else was put there by someone and is kept under
// another name.
func clearPlace(path string) error {
	fi, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if fi.Mode()&fs.ModeSocket != 0 {
		return os.Remove(path)
	}
	return os.Rename(path, path+".aside-"+strconv.FormatInt(time.Now().UnixNano(), 10))
}
