// Package disk is the one door to files: it opens them without waiting, whatever stands at their path (a pipe, a
// directory, a device, a link), reads them within a bound, and makes changes to directories durable. Nothing else of ours
// opens a path that may exist; a test holds the rest of the code to it.
package disk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ErrNotRegular is returned for anything that is not a regular file.
var ErrNotRegular = errors.New("not a regular file")

// ErrTooLarge is returned for a file that is longer than the caller allows.
var ErrTooLarge = errors.New("file is too large")

// Open opens a regular file for reading, following links. Unlike os.Open it never
// waits: for the other end of a pipe that would be for ever. The error is
// ErrNotRegular for anything but a file.
func Open(path string) (*os.File, fs.FileInfo, error) {
	return openRegular(path, os.O_RDONLY, 0)
}

func openRegular(path string, flag int, mode fs.FileMode) (*os.File, fs.FileInfo, error) {
	return openKind(path, flag, mode, 0)
}

// openKind opens a regular file, or one of another type.
func openKind(path string, flag int, mode, also fs.FileMode) (*os.File, fs.FileInfo, error) {
	f, err := os.OpenFile(path, flag|noWait, mode)
	if err != nil {
		// Each kind of what is no file has an error of its own when it is opened for writing.
		if fi, statErr := os.Stat(path); statErr == nil && !fi.Mode().IsRegular() {
			err = &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
		}
		return nil, nil, err
	}
	fi, err := f.Stat()
	if err == nil && fi.Mode().Type()&^also != 0 {
		err = &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, fi, nil
}

// ReadFile reads a regular file of at most so many bytes. The error is ErrNotRegular,
// ErrTooLarge, or that of the system.
func ReadFile(path string, most int64) ([]byte, error) {
	f, fi, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size := fi.Size()
	if size > most {
		return nil, &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("%w: %d bytes", ErrTooLarge, size)}
	}
	// The size is that at the time of opening: what is appended meanwhile is left for the next read.
	b := make([]byte, size)
	n, err := io.ReadFull(f, b)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil // it was cut meanwhile
	}
	return b[:n], err
}

// OpenDir opens a directory, following links. It waits for nothing, and the error is that
// of the system for anything else.
func OpenDir(path string) (*os.File, error) { return openDir(path, 0) }

// OpenDirItself is OpenDir for a path that is not to be a link.
func OpenDirItself(path string) (*os.File, error) { return openDir(path, NoFollow) }

// ReadDir is os.ReadDir, without waiting for anything.
func ReadDir(path string) ([]fs.DirEntry, error) {
	dir, err := OpenDir(path)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	all, err := dir.ReadDir(-1)
	slices.SortFunc(all, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return all, err
}

// OpenRoot is os.OpenRoot, which waits for a pipe.
func OpenRoot(path string) (*os.Root, error) {
	dir, err := OpenDir(path)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return os.OpenRoot(path)
}

// SyncDir makes the names in a directory durable: what was created in it, renamed
// and removed before.
func SyncDir(path string) error {
	dir, err := OpenDir(path)
	if err != nil {
		return err
	}
	defer dir.Close()
	return Sync(dir)
}

// MakePrivate is os.MkdirAll with mode 0700, a mode that the umask cannot narrow, and with
// every new name made durable: a spooled event must not vanish with its
// directory at a power cut.
func MakePrivate(dir string) error {
	if _, err := os.Lstat(dir); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	parent := filepath.Dir(dir)
	if parent != dir {
		if err := MakePrivate(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		if errors.Is(err, fs.ErrExist) { // Another hook was faster.
			return nil
		}
		return err
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return err
	}
	return SyncDir(parent)
}

// OpenGiven opens what a person named in a command, to be read: a regular file, or a pipe that the command has open
// already, as the shell's <(…) gives it. A pipe by a name of its own is refused like any that the journal finds: nobody
// may ever write into it. The error is ErrNotRegular for anything else.
func OpenGiven(path string) (*os.File, error) {
	var also fs.FileMode
	if path == "/dev/stdin" || strings.HasPrefix(path, "/dev/fd/") || strings.HasPrefix(path, "/proc/self/fd/") {
		also = fs.ModeNamedPipe
	}
	f, _, err := openKind(path, os.O_RDONLY, 0, also)
	return f, err
}

// Until reads from r until ctx ends, also while r waits; the error is that of ctx then, and whatever r still gives is
// lost. One goroutine at a time may read.
func Until(ctx context.Context, r io.Reader) io.Reader { return &until{ctx: ctx, from: r} }

type until struct {
	ctx  context.Context
	from io.Reader
	b    []byte // what the last read was into; it is not the caller's, who may be gone
}

func (u *until) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	if len(u.b) < len(p) {
		u.b = make([]byte, len(p))
	}
	type result struct {
		n   int
		err error
	}
	b, done := u.b[:len(p)], make(chan result, 1)
	go func() {
		n, err := u.from.Read(b)
		done <- result{n, err}
	}()
	select {
	case got := <-done:
		return copy(p, b[:got.n]), got.err
	case <-u.ctx.Done():
		return 0, u.ctx.Err()
	}
}
