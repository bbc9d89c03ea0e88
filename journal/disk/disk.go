// Package disk is the only access to files. It opens them without waiting, whatever is at their path (a pipe, a
// directory, a device, a link), reads them within a bound, and makes changes to directories durable. No other package
// of ours opens a path that may exist; a test checks that.
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
// waits, which could be for ever at a pipe. The error is ErrNotRegular for anything
// else.
func Open(path string) (*os.File, fs.FileInfo, error) {
	return openKind(path, os.O_RDONLY, 0, 0)
}

// openKind opens a regular file, or one of another type.
func openKind(path string, flag int, mode, also fs.FileMode) (*os.File, fs.FileInfo, error) {
	f, err := os.OpenFile(path, flag|noWait, mode)
	if err != nil {
		// Opening something else for writing fails, each kind with its own error.
		if fi, statErr := os.Stat(path); statErr == nil && !fi.Mode().IsRegular() {
			err = &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
		}
		return nil, nil, err
	}
	fi, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	if fi.Mode().Type()&^also != 0 {
		f.Close()
		return nil, nil, &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
	}
	return f, fi, nil
}

// ReadFile reads a regular file of at most most bytes. The error is ErrNotRegular,
// ErrTooLarge, or the system's.
func ReadFile(path string, most int64) ([]byte, error) { return ReadInto(nil, path, most) }

// ReadInto is ReadFile into the memory of a slice that is no longer used, if it suffices.
func ReadInto(b []byte, path string, most int64) ([]byte, error) {
	f, fi, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size := fi.Size()
	if size > most {
		return nil, &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("%w: %d bytes", ErrTooLarge, size)}
	}
	// The size is that at opening: bytes appended meanwhile are left for the next read.
	if b == nil || int64(cap(b)) < size {
		b = make([]byte, size)
	}
	b = b[:size]
	n, err := io.ReadFull(f, b)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil // it was truncated meanwhile
	}
	return b[:n], err
}

// ReadEnd reads the last n bytes of a regular file, or all if it has fewer: then whole is true.
func ReadEnd(path string, n int64) (end []byte, whole bool, err error) {
	f, fi, err := Open(path)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	from := max(0, fi.Size()-n)
	end, err = io.ReadAll(io.NewSectionReader(f, from, n))
	return end, from == 0, err
}

// OpenDir opens a directory, following links, without waiting. For anything else the error is
// the system's.
func OpenDir(path string) (*os.File, error) { return openDir(path, 0) }

// OpenDirItself is OpenDir for a path that must not be a link.
func OpenDirItself(path string) (*os.File, error) { return openDir(path, NoFollow) }

// ReadDir is os.ReadDir without waiting.
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

// OpenRoot is os.OpenRoot without waiting at a pipe.
func OpenRoot(path string) (*os.Root, error) {
	dir, err := OpenDir(path)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return os.OpenRoot(path)
}

// ConfigPath names a file or directory of the person's configuration, below $XDG_CONFIG_HOME or, unless that is
// absolute, ~/.config.
func ConfigPath(getenv func(string) string, below ...string) (string, error) {
	dir := getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("directory of configuration: %w", err)
		}
		dir = filepath.Join(home, ".config")
	}
	return filepath.Join(append([]string{dir}, below...)...), nil
}

// CopyDir copies the content of a directory into a new one, which only this user can enter. It does not wait: anything
// but files, directories and links is an error.
func CopyDir(to, from string) error {
	if err := os.Mkdir(to, 0o700); err != nil {
		return err
	}
	return os.CopyFS(to, os.DirFS(from))
}

// SyncDir makes the names in a directory durable: files created, renamed and
// removed in it before.
func SyncDir(path string) error {
	dir, err := OpenDir(path)
	if err != nil {
		return err
	}
	defer dir.Close()
	return Sync(dir)
}

// MakePrivate is os.MkdirAll with mode 0700, which the umask cannot narrow, and makes every
// new name durable: a spooled event must not vanish with its directory at a power
// cut.
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
		if errors.Is(err, fs.ErrExist) { // another hook was faster
			return nil
		}
		return err
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return err
	}
	return SyncDir(parent)
}

// OpenGiven opens for reading what a person named in a command: a regular file, or a pipe that the command already has
// open, as from the shell's <(…). A named pipe is refused, because nobody may ever write into it. The error is
// ErrNotRegular for anything else.
func OpenGiven(path string) (*os.File, error) {
	var also fs.FileMode
	if path == "/dev/stdin" || strings.HasPrefix(path, "/dev/fd/") || strings.HasPrefix(path, "/proc/self/fd/") {
		also = fs.ModeNamedPipe
	}
	f, _, err := openKind(path, os.O_RDONLY, 0, also)
	return f, err
}

// Until returns a reader of r that ends with ctx and its error, even while r waits; later bytes of r are lost. Only one
// goroutine at a time may read.
func Until(ctx context.Context, r io.Reader) io.Reader { return &until{ctx: ctx, from: r} }

type until struct {
	ctx  context.Context
	from io.Reader
	b    []byte // buffer of the last read; not the caller's, who may have left
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

// OpenFile is os.OpenFile for regular files. It does not wait. For anything else the error is
// ErrNotRegular, and O_TRUNC does not change it.
func OpenFile(path string, flag int, mode fs.FileMode) (*os.File, error) {
	f, _, err := openKind(path, flag&^os.O_TRUNC, mode, 0)
	if err != nil {
		return nil, err
	}
	if flag&os.O_TRUNC != 0 {
		if err := f.Truncate(0); err != nil {
			f.Close()
			return nil, err
		}
	}
	return f, nil
}

// WriteFile writes a file in place, like os.WriteFile: on a full disk an empty file is
// left. It is not durable.
func WriteFile(path string, b []byte, mode fs.FileMode) error {
	f, err := OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	return errors.Join(err, f.Close())
}

// Replace replaces what is at path, if anything, by a file in one step: concurrent readers
// and writers get the whole old or new file. It is not durable.
func Replace(path string, b []byte, mode fs.FileMode) error {
	return replace(path, aside(path), mode, false, whole(b))
}

// ReplaceShared is ReplaceDurable for a path that several write.
func ReplaceShared(path string, b []byte) error {
	return replace(path, aside(path), 0o600, true, whole(b))
}

// aside names a file that nobody else writes.
func aside(path string) string {
	return filepath.Join(filepath.Dir(path), fmt.Sprintf("tmp-%016x", rand.Uint64()))
}

// ReplaceAlone is Replace for the only writer of a path: however often it is killed,
// at most one file is left, path.new, which the next call replaces.
func ReplaceAlone(path string, b []byte, mode fs.FileMode) error {
	return ReplaceBy(path, mode, whole(b))
}

// ReplaceBy is ReplaceAlone with the content that fill writes.
func ReplaceBy(path string, mode fs.FileMode, fill func(io.Writer) error) error {
	return replaceAlone(path, mode, false, fill)
}

func whole(b []byte) func(io.Writer) error {
	return func(w io.Writer) error { _, err := w.Write(b); return err }
}

// ReplaceDurable is ReplaceAlone for a file with mode 0600: after a power cut either the old
// file or the whole new one is there.
func ReplaceDurable(path string, b []byte) error { return ReplaceDurableBy(path, whole(b)) }

// ReplaceDurableBy is ReplaceDurable with the content that fill writes.
func ReplaceDurableBy(path string, fill func(io.Writer) error) error {
	return replaceAlone(path, 0o600, true, fill)
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
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		failed.Path = path // no caller knows the name aside
	}
	if err != nil {
		return err
	}
	if err := errors.Join(fillFile(f, sync, fill), f.Close()); err != nil {
		_ = os.Remove(aside)
		return err
	}
	if err := os.Rename(aside, path); err != nil {
		_ = os.Remove(aside)
		return err
	}
	if !sync {
		return nil
	}
	return SyncDir(filepath.Dir(path))
}

func fillFile(f *os.File, sync bool, fill func(io.Writer) error) error {
	if err := fill(f); err != nil || !sync {
		return err
	}
	return f.Sync()
}

// Locked does something while nobody else has the lock of a path, whose file stays and is empty.
func Locked(path string, do func() error) error {
	f, err := OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	if err := Lock(f); err != nil {
		return err
	}
	return do()
}

// Remove is os.Remove, but a missing file is no error.
func Remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// SetAside renames what is at a path if it is not of the wanted kind, a directory or a
// regular file, links followed: somebody put it there, so it is kept. to is its new
// path, empty if nothing had to be done.
func SetAside(path string, dir bool) (to string, err error) {
	fi, err := os.Stat(path)
	if err != nil || dir && fi.IsDir() || !dir && fi.Mode().IsRegular() {
		return "", nil // also for a dangling link
	}
	return PutAside(path)
}

// PutAside renames the file or directory at a path and returns its new path.
func PutAside(path string) (to string, err error) {
	to = path + ".aside-" + strconv.FormatInt(time.Now().UnixNano(), 10)
	if err := os.Rename(path, to); err != nil {
		return "", err
	}
	return to, nil
}
