// Package disk is the only access to files. It opens them without waiting, whatever is at their path (a pipe, a
// directory, a device, a link), reads them within a bound, and makes changes to directories durable. Other packages of
// the program journal open only files of the system, and new files with O_EXCL; a test checks that.
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
	"syscall"
	"time"
)

// ErrNotRegular is returned for anything that is not a regular file.
var ErrNotRegular = errors.New("not a regular file")

// ErrTooLarge is returned for a file that is longer than the caller allows.
var ErrTooLarge = errors.New("file is too large")

// Transient reports whether an error comes from a temporary state of the machine and not from the file. The file is then not damaged.
func Transient(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || errors.Is(err, syscall.ENOMEM)
}

// Open opens a regular file for reading, following links. Unlike os.Open it never
// waits: os.Open may wait for ever at a pipe. The error is ErrNotRegular for anything
// but a regular file.
func Open(path string) (*os.File, fs.FileInfo, error) {
	return openKind(path, os.O_RDONLY, 0, 0)
}

// openKind opens a regular file, or a file of a type in also. With 0 as also it opens only regular files.
func openKind(path string, flag int, mode, also fs.FileMode) (*os.File, fs.FileInfo, error) {
	f, err := os.OpenFile(path, flag|noWait, mode)
	if err != nil {
		// Opening a directory or a device may fail, each with its own error.
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

// ReadFile reads a regular file that has at most limit bytes. The error is
// ErrNotRegular, ErrTooLarge, or the system's.
func ReadFile(path string, limit int64) ([]byte, error) { return ReadInto(nil, path, limit) }

// ReadInto is ReadFile, and reuses the memory of b if it suffices. b may be nil.
func ReadInto(b []byte, path string, limit int64) ([]byte, error) {
	f, fi, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size := fi.Size()
	if size > limit {
		return nil, &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("%w: %d bytes", ErrTooLarge, size)}
	}
	// The size is that at opening: bytes appended meanwhile are left for the next read.
	if b == nil || int64(cap(b)) < size { // an empty file is not nil either
		b = make([]byte, size)
	}
	b = b[:size]
	n, err := io.ReadFull(f, b)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil // the file was truncated meanwhile
	}
	return b[:n], err
}

// ReadEnd reads the last n bytes of a regular file, or all if there are fewer. whole is true if it read all.
func ReadEnd(path string, n int64) (end []byte, whole bool, err error) {
	f, fi, err := Open(path)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	begin := max(0, fi.Size()-n)
	end, err = io.ReadAll(io.NewSectionReader(f, begin, n))
	return end, begin == 0, err
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

// Match returns the paths below a directory that match a pattern, none if the pattern is invalid. Unlike in filepath.Glob, the path of
// the directory is no pattern.
func Match(dir, pattern string) (all []string) {
	names, _ := fs.Glob(os.DirFS(dir), pattern) // the only error is an invalid pattern
	for _, name := range names {
		all = append(all, filepath.Join(dir, name))
	}
	return all
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

// ConfigPath returns the path of a file or directory of the person's configuration, below $XDG_CONFIG_HOME. If that is
// no absolute path, ~/.config takes its place.
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

// CopyDir copies the content of source into the new directory target, which only this user can enter. It does not wait:
// anything but files, directories and links is an error.
func CopyDir(target, source string) error {
	if err := os.Mkdir(target, 0o700); err != nil {
		return err
	}
	return os.CopyFS(target, os.DirFS(source))
}

// SyncDir makes the names in a directory durable, after files were created,
// renamed or removed in it.
func SyncDir(path string) error {
	dir, err := OpenDir(path)
	if err != nil {
		return err
	}
	defer dir.Close()
	return SyncOpenDir(dir)
}

// MakePrivate is os.MkdirAll with mode 0700, whatever the umask. It makes every new
// name durable: a spooled event must not vanish with its directory at a power cut. It
// leaves whatever exists at the path as it is.
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

// OpenGiven opens, for reading, a path that a person named in a command: of a regular file, or of a pipe that the command
// already has open, as from the shell's <(…). The error is ErrNotRegular for anything else, such as a named pipe, at
// which the command might wait for a writer for ever.
func OpenGiven(path string) (*os.File, error) {
	var also fs.FileMode
	if path == "/dev/stdin" || strings.HasPrefix(path, "/dev/fd/") || strings.HasPrefix(path, "/proc/self/fd/") {
		also = fs.ModeNamedPipe
	}
	f, _, err := openKind(path, os.O_RDONLY, 0, also)
	return f, err
}

// Until returns a reader of r whose reads return ctx's error when ctx ends, even while r waits. The bytes that r returns
// after that are lost. Only one goroutine at a time may read.
func Until(ctx context.Context, r io.Reader) io.Reader { return &until{ctx: ctx, source: r} }

// until is the reader of Until.
type until struct {
	ctx    context.Context
	source io.Reader
	buf    []byte // what source reads into: not the caller's buffer, because that read may go on when the caller's has ended
}

func (u *until) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	if len(u.buf) < len(p) {
		u.buf = make([]byte, len(p))
	}
	type result struct {
		n   int
		err error
	}
	b, done := u.buf[:len(p)], make(chan result, 1)
	go func() {
		n, err := u.source.Read(b)
		done <- result{n, err}
	}()
	select {
	case r := <-done:
		return copy(p, b[:r.n]), r.err
	case <-u.ctx.Done():
		return 0, u.ctx.Err()
	}
}

// OpenFile is os.OpenFile for regular files. It does not wait. For anything but a regular file the error is
// ErrNotRegular, and nothing is truncated.
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

// WriteFile writes a file in place, like os.WriteFile: on a full disk it can leave an
// empty file. The file is not durable.
func WriteFile(path string, b []byte, mode fs.FileMode) error {
	f, err := OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	return errors.Join(err, f.Close())
}

// Replace replaces the file at path, if any, in one step: concurrent readers get the whole old
// or the whole new file, and concurrent writers do not mix. The new file is not durable.
func Replace(path string, b []byte) error {
	return replace(path, randomBeside(path), 0o600, false, filling(b))
}

// ReplaceReadable is Replace for a file that other users may read.
func ReplaceReadable(path string, b []byte) error {
	return replace(path, randomBeside(path), 0o644, false, filling(b))
}

// ReplaceShared is ReplaceDurable for a path that several processes or goroutines write.
func ReplaceShared(path string, b []byte) error {
	return replace(path, randomBeside(path), 0o600, true, filling(b))
}

// randomBeside returns a random path in the directory of path, which nobody else uses.
func randomBeside(path string) string {
	return filepath.Join(filepath.Dir(path), fmt.Sprintf("tmp-%016x", rand.Uint64()))
}

// ReplaceAlone is Replace for the only writer of a path: however often the writer is killed, at most one file is left
// over, path.new, which the next call replaces.
func ReplaceAlone(path string, b []byte) error { return ReplaceBy(path, filling(b)) }

// ReplaceBy is ReplaceAlone with the content that fill writes.
func ReplaceBy(path string, fill func(io.Writer) error) error { return replaceAlone(path, false, fill) }

// filling returns a function that writes b.
func filling(b []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	}
}

// ReplaceDurable is ReplaceAlone, but after a power cut either the old file or the whole new file is there.
func ReplaceDurable(path string, b []byte) error { return ReplaceDurableBy(path, filling(b)) }

// ReplaceDurableBy is ReplaceDurable with the content that fill writes.
func ReplaceDurableBy(path string, fill func(io.Writer) error) error {
	return replaceAlone(path, true, fill)
}

// replaceAlone implements ReplaceBy and ReplaceDurableBy. The file is durable if sync is true.
func replaceAlone(path string, sync bool, fill func(io.Writer) error) error {
	aside := path + ".new"
	if err := Remove(aside); err != nil {
		return err
	}
	return replace(path, aside, 0o600, sync, fill)
}

// replace writes a new file at aside by fill, and renames it to path. The file is durable if sync is true.
func replace(path, aside string, mode fs.FileMode, sync bool, fill func(io.Writer) error) error {
	f, err := os.OpenFile(aside, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		failed.Path = path // callers do not know aside
	}
	if err != nil {
		return err
	}
	if err := errors.Join(fillFile(f, sync, fill), f.Close()); err != nil {
		_ = os.Remove(aside) // callers do not know aside
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

// fillFile writes a file by fill, and syncs it if sync is true.
func fillFile(f *os.File, sync bool, fill func(io.Writer) error) error {
	if err := fill(f); err != nil || !sync {
		return err
	}
	return f.Sync()
}

// Locked calls do while it holds the lock of the empty file at path. It makes the file if it is missing, and does not
// remove it.
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

// SetAsideOther renames the file or directory at a path, as PutAside does, if it is of another kind than the caller needs:
// a directory if dir is true, else a regular file. It follows links. to is the new path, empty if it renamed nothing.
func SetAsideOther(path string, dir bool) (to string, err error) {
	fi, err := os.Stat(path)
	if err != nil { // nothing is there, or a dangling link
		return "", nil
	}
	needed := fi.Mode().IsRegular()
	if dir {
		needed = fi.IsDir()
	}
	if needed {
		return "", nil
	}
	return PutAside(path)
}

// PutAside renames the file or directory at a path, and returns the new path, which ends with the time.
func PutAside(path string) (to string, err error) {
	to = path + ".aside-" + strconv.FormatInt(time.Now().UnixNano(), 10)
	if err := os.Rename(path, to); err != nil {
		return "", err
	}
	return to, nil
}
