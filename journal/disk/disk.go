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
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
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

// OpenFile is os.OpenFile for regular files: it waits for nothing, and the error is
// ErrNotRegular for anything else, which O_TRUNC leaves as it is.
func OpenFile(path string, flag int, mode fs.FileMode) (*os.File, error) {
	f, _, err := openRegular(path, flag&^os.O_TRUNC, mode)
	if err == nil && flag&os.O_TRUNC != 0 {
		if err = f.Truncate(0); err != nil {
			f.Close()
			return nil, err
		}
	}
	return f, err
}

// WriteFile writes a file in its place, as os.WriteFile does: on a full disk an empty one
// is left. It is not durable.
func WriteFile(path string, b []byte, mode fs.FileMode) error {
	f, err := OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	return errors.Join(err, f.Close())
}

// Replace puts a file in the place of what is at path, if anything, in one step: whoever
// reads, or replaces it at the same time, has one or the other whole. It is not durable.
func Replace(path string, b []byte, mode fs.FileMode) error {
	return replace(path, filepath.Join(filepath.Dir(path), fmt.Sprintf("tmp-%016x", rand.Uint64())), mode, false, whole(b))
}

// ReplaceAlone is Replace for the only writer of a path: however often it is killed,
// one file is left beside it, path.new, which the next call replaces.
func ReplaceAlone(path string, b []byte, mode fs.FileMode) error {
	return ReplaceBy(path, mode, whole(b))
}

// ReplaceBy is ReplaceAlone by what fill writes.
func ReplaceBy(path string, mode fs.FileMode, fill func(io.Writer) error) error {
	return replaceAlone(path, mode, false, fill)
}

func whole(b []byte) func(io.Writer) error {
	return func(w io.Writer) error { _, err := w.Write(b); return err }
}

// ReplaceDurable is ReplaceAlone of a file for its owner's eyes: after a power cut either
// the old file or the whole new one is there.
func ReplaceDurable(path string, b []byte) error {
	if err := replaceAlone(path, 0o600, true, whole(b)); err != nil {
		return err
	}
	return SyncDir(filepath.Dir(path))
}

func replaceAlone(path string, mode fs.FileMode, sync bool, fill func(io.Writer) error) error {
	aside := path + ".new"
	if err := Remove(aside); err != nil {
		return err
	}
	return replace(path, aside, mode, sync, fill)
}

func replace(path, aside string, mode fs.FileMode, sync bool, fill func(io.Writer) error) error {
	f, err := os.OpenFile(aside, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	err = fill(f)
	if err == nil && sync {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(aside, path)
	}
	if err != nil {
		_ = os.Remove(aside)
	}
	return err
}

// Remove is os.Remove for what may not be there.
func Remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// SetAside renames what stands at a path and is not of the kind that belongs there, a
// directory or a regular file, by way of a link or not: somebody put it there, so it is
// kept. to is its new path, empty when nothing had to be done.
func SetAside(path string, dir bool) (to string, err error) {
	fi, err := os.Stat(path)
	if err != nil || dir && fi.IsDir() || !dir && fi.Mode().IsRegular() {
		return "", nil // also for a link to nothing, which is as good as nothing
	}
	return PutAside(path)
}

// PutAside renames what stands at a path, whatever it is, and gives its new path.
func PutAside(path string) (to string, err error) {
	to = path + ".aside-" + strconv.FormatInt(time.Now().UnixNano(), 10)
	if err := os.Rename(path, to); err != nil {
		return "", err
	}
	return to, nil
}
