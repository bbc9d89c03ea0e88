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

// MaxPath is the longest path of a socket inside a journal directory, in bytes (ADR-0004 rule 14). The kernels allow 107 (Linux) and
// 103 (macOS).
const MaxPath = 100

// name is the file name of the socket inside the journal directory.
const name = "owner.sock"

// ErrUntrusted is returned if the file at the socket's path, its directory, or the process that listens there does not belong to the
// current user. The caller must send nothing there, and a person has to check the path.
var ErrUntrusted = errors.New("socket is not ours")

// Path returns the path at which the owner of dir listens: owner.sock inside dir or, if that path is longer than MaxPath bytes, a
// name derived from the absolute path of dir in the directory of Shared. If another user made that directory first, owner.sock
// inside dir is a link to the socket, and Path returns the target of the link.
func Path(dir string) string {
	path := inside(dir)
	if len(path) <= MaxPath {
		return path
	}
	if target, err := os.Readlink(path); err == nil && filepath.IsAbs(target) && len(target) <= MaxPath {
		return target
	}
	return sharedPath(path)
}

// inside returns the path of owner.sock inside dir, however long the path is.
func inside(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		abs = filepath.Clean(dir) // there is no working directory
	}
	return filepath.Join(abs, name)
}

// sharedPath returns the path, in the directory of Shared, for a socket whose path inside a journal directory is too long.
func sharedPath(tooLong string) string {
	sum := sha256.Sum256([]byte(filepath.Dir(tooLong)))
	return filepath.Join(shared(), hex.EncodeToString(sum[:8])+".sock")
}

// Prepare creates the directory of dir's socket, unless that is dir itself, and returns the socket's path. Only the owner of dir
// calls it.
func Prepare(dir string) (string, error) {
	link := inside(dir)
	if len(link) <= MaxPath {
		return link, nil
	}
	_, sharedErr := Shared()
	if sharedErr == nil {
		return sharedPath(link), unlink(link)
	}
	if path := Path(dir); path != sharedPath(link) && checkShared(filepath.Dir(path)) == nil {
		return path, nil // the link of an owner that died
	}
	path, err := prepareLinked(link)
	if err != nil {
		return "", errors.Join(sharedErr, fmt.Errorf("prepare another directory: %w", err))
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

// Remove removes the socket at path, and the directory and the link that Prepare made for it outside of the directory of Shared,
// after the owner of dir has left.
func Remove(dir, path string) error {
	err := os.Remove(path)
	if link := inside(dir); path != link && path != sharedPath(link) {
		err = errors.Join(err, unlink(link), os.Remove(filepath.Dir(path)))
	}
	return err
}

// unlink removes the link at a path. It leaves any other file.
func unlink(path string) error {
	if _, err := os.Readlink(path); err != nil {
		return nil
	}
	return os.Remove(path)
}

// Shared returns the private directory of the current user below /tmp, for files that cannot be in a journal directory. It creates
// the directory if it is missing. The error is ErrUntrusted if anything but a private directory of this user has the path.
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

// shared returns the path of the directory of Shared. On Unix the path is fixed, unlike os.TempDir, because owner and client must
// agree on it and may have different environments.
func shared() string {
	return filepath.Join(tmp, "journal-"+strconv.Itoa(os.Getuid()))
}

// checkShared returns ErrUntrusted unless the file at path is a private directory of this user. Another user may have made one below
// /tmp first, to which this user's clients would connect.
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

// dialTimeout bounds a connect. A unix connect usually succeeds or fails at once: on Linux it fails, without waiting, while the
// listener's backlog is full, as when the owner is stopped. Hooks have smaller budgets of their own (ADR-0004 rules 11 and 12).
const dialTimeout = 2 * time.Second

// Dial connects to the owner's socket. It ignores network and address. It returns ErrNoOwner if no owner listens, and ErrUntrusted
// if the socket, or the process behind it, is not the current user's.
func (d Dialer) Dial(_, _ string) (net.Conn, error) {
	path := Path(string(d))
	if path != inside(string(d)) {
		// No owner listens in an untrusted directory: it would listen elsewhere and leave a link to its socket.
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
// or if conn is no unix connection. On a system that does not report the user (Windows) it returns nil: file permissions decide
// alone.
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

// Listen listens at a path that ends in .sock, with mode 0600. It binds the socket under another name and renames it, so that a
// client never meets a socket with the wrong mode, or without a listener. It replaces the socket of a dead owner, and renames any
// other file at the path. The caller must hold the lock of the directory, and removes the socket at the end.
func Listen(path string) (_ *net.UnixListener, err error) {
	// This name is shorter than the final name, which may have the maximum length.
	aside := strings.TrimSuffix(path, ".sock") + ".new"
	if err := clearPlace(aside); err != nil {
		return nil, err
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: aside, Net: "unix"})
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false) // closing would remove the path, even if another owner has its socket there by then
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

// clearPlace frees the path of a socket. It removes a socket, whose owner is dead, because the caller holds the lock. It renames any
// other file.
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
