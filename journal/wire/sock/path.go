package sock

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// MaxPath is the longest path of a socket inside a journal directory, in bytes. The kernels allow 107 (Linux) and 103 (macOS); the
// margin is for the temporary name of a socket while it is created (ADR-0004 rule 14).
const MaxPath = 100

// name is the file name of the socket inside the journal directory.
const name = "owner.sock"

// ErrUntrusted is returned if the file at the socket's path, or the process behind it, does not belong to the current user. The
// caller must not send anything to it; a person has to check it.
var ErrUntrusted = errors.New("socket is not ours")

// Path returns the path at which the owner of dir listens: owner.sock inside dir or, if that is longer than MaxPath bytes, a name
// derived from the absolute path of dir in the directory of Shared. If another user made that directory first, owner.sock inside
// dir is a link to the socket, and Path returns the target.
func Path(dir string) string {
	inside := inside(dir)
	if len(inside) <= MaxPath {
		return inside
	}
	if target, err := os.Readlink(inside); err == nil && filepath.IsAbs(target) && len(target) <= MaxPath {
		return target
	}
	return sharedPath(inside)
}

// inside returns the path of the socket inside dir, however long it is.
func inside(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		abs = filepath.Clean(dir) // there is no working directory
	}
	return filepath.Join(abs, name)
}

// sharedPath returns the path in the directory of Shared for a socket whose path inside a journal directory is too long.
func sharedPath(inside string) string {
	sum := sha256.Sum256([]byte(filepath.Dir(inside)))
	return filepath.Join(shared(), hex.EncodeToString(sum[:8])+".sock")
}

// Prepare creates the directory of dir's socket, unless that is dir itself, and returns the socket's path. Only the owner of dir
// calls it.
func Prepare(dir string) (string, error) {
	link := inside(dir)
	if len(link) <= MaxPath {
		return link, nil
	}
	_, untrusted := Shared()
	if untrusted == nil {
		return sharedPath(link), unlink(link)
	}
	if path := Path(dir); path != sharedPath(link) && checkShared(filepath.Dir(path)) == nil {
		return path, nil // the link of an owner that died
	}
	path, err := prepareLinked(link)
	if err != nil {
		return "", errors.Join(untrusted, fmt.Errorf("prepare another directory: %w", err))
	}
	return path, nil
}

// prepareLinked creates a new directory for the socket below /tmp, and the link to the socket. It returns the socket's path.
func prepareLinked(link string) (string, error) {
	dir, err := os.MkdirTemp(tmp, "journal-")
	if err != nil {
		return "", err
	}
	if err := os.Chmod(dir, 0o700); err != nil { // whatever the umask
		return "", err
	}
	path := filepath.Join(dir, name)
	return path, errors.Join(unlink(link), os.Symlink(path, link))
}

// Remove undoes Prepare after the owner of dir, which listened at path, has left.
func Remove(dir, path string) error {
	err := os.Remove(path)
	if link := inside(dir); path != link && path != sharedPath(link) {
		err = errors.Join(err, unlink(link), os.Remove(filepath.Dir(path)))
	}
	return err
}

// unlink removes a link. It leaves any other file.
func unlink(path string) error {
	if _, err := os.Readlink(path); err != nil {
		return nil
	}
	return os.Remove(path)
}

// Shared creates and returns the private directory of the current user below /tmp, for files that cannot be in a journal directory.
// It returns ErrUntrusted if another file or directory has its path.
func Shared() (string, error) {
	parent := shared()
	switch err := os.Mkdir(parent, 0o700); {
	case err == nil:
		// Mkdir subtracts the umask; a umask of 0777 would forbid the use of the directory.
		if err := os.Chmod(parent, 0o700); err != nil {
			return "", fmt.Errorf("prepare shared directory: %w", err)
		}
	case !errors.Is(err, fs.ErrExist):
		return "", fmt.Errorf("prepare shared directory: %w", err)
	}
	return parent, checkShared(parent)
}

// shared returns the path of the directory of Shared. It is fixed, not below os.TempDir, because owner and client may have different
// environments and must agree on it.
func shared() string {
	return filepath.Join(tmp, "journal-"+strconv.Itoa(os.Getuid()))
}

// checkShared returns ErrUntrusted for a directory below /tmp that another user could have made first, to receive the clients of this
// user.
func checkShared(parent string) error {
	fi, err := os.Lstat(parent)
	if err != nil {
		return err
	}
	if !fi.IsDir() || !ownedByUs(fi) || !private(fi) {
		return fmt.Errorf("%s must be a directory of this user with mode 0700: %w", parent, ErrUntrusted)
	}
	return nil
}

// ErrNoOwner is returned if no owner listens for the directory: there is no socket, or one that a dead owner left behind.
var ErrNoOwner = errors.New("no owner is listening")

// Dialer connects to the owner of the directory that it names. It implements nats.CustomDialer. Many goroutines may use it.
type Dialer string

// dialTimeout bounds a connect. A unix connect waits only while the listener's backlog is full, that is while the owner is stopped.
// Hooks have budgets far below this and enforce them themselves (ADR-0004 rules 11 and 12).
const dialTimeout = 2 * time.Second

// Dial connects to the owner's socket. It ignores network and address. It returns ErrNoOwner if no owner listens, and ErrUntrusted
// if the socket, or the process behind it, is not the current user's.
func (d Dialer) Dial(_, _ string) (net.Conn, error) {
	path := Path(string(d))
	if path != inside(string(d)) {
		// If the directory is untrusted, an owner would listen at another path, and have left a link to it.
		if err := checkShared(filepath.Dir(path)); errors.Is(err, ErrUntrusted) {
			return nil, fmt.Errorf("%w: %w", ErrNoOwner, err)
		} else if err != nil {
			return nil, noOwner(path, err)
		}
	}
	fi, err := os.Lstat(path)
	if err != nil {
		return nil, noOwner(path, err)
	}
	if fi.Mode()&fs.ModeSocket == 0 || !ownedByUs(fi) {
		return nil, fmt.Errorf("%s must be a socket of this user, is %v: %w", path, fi.Mode(), ErrUntrusted)
	}
	conn, err := net.DialTimeout("unix", path, dialTimeout)
	if err != nil {
		return nil, noOwner(path, err)
	}
	if err := CheckPeer(conn); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// noOwner returns ErrNoOwner for the errors of a connect without a listener.
func noOwner(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) || refused(err) {
		return fmt.Errorf("%s: %w", path, ErrNoOwner)
	}
	return fmt.Errorf("dial owner: %w", err)
}

// CheckPeer returns ErrUntrusted if the kernel reports that the process at the other end of a unix connection runs as another user,
// or if conn is no unix connection. If the kernel does not report the user (Windows), it returns nil: file permissions decide alone.
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

// Listen listens at a path that ends in .sock, with mode 0600. It binds under another name and renames, so that a client never
// meets a socket with the wrong mode, or without a listener. It replaces the socket of a dead owner, and renames any other file at
// the path. The caller must hold the lock of the directory, and removes the socket.
func Listen(path string) (l *net.UnixListener, err error) {
	// This name is shorter than the final one, which may have the maximum length.
	aside := strings.TrimSuffix(path, ".sock") + ".new"
	if err := clearPlace(aside); err != nil {
		return nil, err
	}
	l, err = net.ListenUnix("unix", &net.UnixAddr{Name: aside, Net: "unix"})
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false) // it would remove by name, even if the file is another owner's by then
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

// clearPlace frees the path of a socket. It removes a socket, which is stale, since the caller holds the lock. It renames any other
// file.
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
