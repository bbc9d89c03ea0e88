package sock

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"time"
)

// ErrNoOwner is returned when nobody listens for the directory: there is no
// socket, or one that a dead owner left behind. The caller spools.
var ErrNoOwner = errors.New("no owner is listening")

// Dialer connects to the owner of the directory it names. It satisfies
// nats.CustomDialer. It is a value; use it from as many goroutines as needed.
type Dialer string

// dialTimeout bounds a connect. A unix connect only waits while the listener's
// backlog is full, that is while the owner is stopped; hooks have budgets far
// below this and enforce them themselves (ADR-0004 rules 11 and 12).
const dialTimeout = 2 * time.Second

// Dial connects to the owner's socket; network and address are ignored. It
// returns ErrNoOwner when nobody listens and ErrUntrusted when the socket, or
// the process behind it, is not the current user's.
func (d Dialer) Dial(_, _ string) (net.Conn, error) {
	path := Path(string(d))
	if path != inside(string(d)) {
		// An owner would listen elsewhere, and have left a link to there.
		if err := checkShared(filepath.Dir(path)); errors.Is(err, ErrUntrusted) {
			return nil, fmt.Errorf("%w: %w", ErrNoOwner, err)
		} else if err != nil {
			return nil, absent(path, err)
		}
	}
	fi, err := os.Lstat(path)
	if err != nil {
		return nil, absent(path, err)
	}
	if fi.Mode()&fs.ModeSocket == 0 || !ownedByUs(fi) {
		return nil, fmt.Errorf("%s must be a socket of this user, is %v: %w", path, fi.Mode(), ErrUntrusted)
	}
	conn, err := net.DialTimeout("unix", path, dialTimeout)
	if err != nil {
		return nil, absent(path, err)
	}
	if err := CheckPeer(conn); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// absent turns the errors that mean "nobody is there" into ErrNoOwner.
func absent(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) || refused(err) {
		return fmt.Errorf("%s: %w", path, ErrNoOwner)
	}
	return fmt.Errorf("dial owner: %w", err)
}

// CheckPeer returns ErrUntrusted when the kernel says that the process at the
// other end of a unix connection runs as another user. Where the kernel does
// not say (Windows), it returns nil and the file permissions decide alone.
func CheckPeer(conn net.Conn) error {
	c, ok := conn.(*net.UnixConn)
	if !ok {
		return fmt.Errorf("peer of a %T: %w", conn, ErrUntrusted)
	}
	uid, known, err := peerUID(c)
	if err != nil {
		return fmt.Errorf("peer credentials: %w", err)
	}
	if known && uid != os.Geteuid() {
		return fmt.Errorf("peer runs as user %d: %w", uid, ErrUntrusted)
	}
	return nil
}
