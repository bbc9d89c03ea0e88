package sock

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// MaxPath is the longest socket path used as it is, in bytes. The kernels
// allow 107 (Linux) and 103 (macOS); the margin is for the name that a socket
// has while it is being made (ADR-0004 rule 14).
const MaxPath = 100

// name is the file name of the socket inside the journal directory.
const name = "owner.sock"

// ErrUntrusted is returned when something at the place of the socket, or the
// process behind it, does not belong to the current user. The caller must not
// send anything there; what is in the way has to be looked at by a person.
var ErrUntrusted = errors.New("socket is not ours")

// Path returns where the owner of dir listens: owner.sock inside dir or, when
// that is longer than MaxPath bytes, a name derived from the absolute path of
// dir in a directory of the current user below /tmp.
func Path(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		abs = filepath.Clean(dir) // Only without a working directory.
	}
	if p := filepath.Join(abs, name); len(p) <= MaxPath {
		return p
	}
	sum := sha256.Sum256([]byte(abs))
	return filepath.Join(shared(), hex.EncodeToString(sum[:8])+".sock")
}

// Prepare makes the directory that the socket of dir goes into, when that is
// not dir itself, and returns the socket's path. It returns ErrUntrusted when
// that directory exists and is not a private one of the current user.
func Prepare(dir string) (string, error) {
	path := Path(dir)
	if filepath.Dir(path) != shared() {
		return path, nil
	}
	_, err := Shared()
	return path, err
}

// Shared makes the private directory of the current user below /tmp, for what
// cannot be in a journal directory, and returns it. It returns ErrUntrusted when
// something else stands in its place.
func Shared() (string, error) {
	parent := shared()
	switch err := os.Mkdir(parent, 0o700); {
	case err == nil:
		// Mkdir subtracts the umask; a umask of 0777 would lock us out.
		if err := os.Chmod(parent, 0o700); err != nil {
			return "", fmt.Errorf("prepare shared directory: %w", err)
		}
	case !errors.Is(err, fs.ErrExist):
		return "", fmt.Errorf("prepare shared directory: %w", err)
	}
	return parent, checkShared(parent)
}

// shared is the directory for the sockets of deep journal directories.
// It is fixed, not os.TempDir, because owner and client may have different
// environments and must agree on the place.
func shared() string {
	return filepath.Join(tmp, "journal-"+strconv.Itoa(os.Getuid()))
}

// checkShared refuses a directory below /tmp that somebody else could have
// made first to catch our clients.
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
