//go:build unix

package spool_test

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"journal/journal/spool"
)

func TestUnsafeDirectories(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, hint string
		spoil      func(path string) error
	}{
		{"group may write", "chmod 700", func(path string) error { return os.Chmod(path, 0o720) }},
		{"all may write", "chmod 700", func(path string) error { return os.Chmod(path, 0o777|fs.ModeSticky) }},
		{"symbolic link", "symbolic link", func(path string) error {
			return errors.Join(os.Rename(path, path+".real"), os.Symlink(path+".real", path))
		}},
		{"dangling link", "symbolic link", func(path string) error {
			return errors.Join(os.Remove(path), os.Symlink(path+".real", path))
		}},
		{"file", "not a directory", func(path string) error {
			return errors.Join(os.Remove(path), os.WriteFile(path, nil, 0o600))
		}},
		{"of somebody else", "without sudo", func(path string) error { return os.Chown(path, 12345, -1) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if tc.hint == "without sudo" && os.Geteuid() != 0 {
				t.Skip("only root can give a directory away")
			}
			_, path := newDir(t)
			if err := tc.spoil(path); err != nil {
				t.Fatal(err)
			}
			// The trailing slash must not make the system follow a link.
			d := spool.Open(path + "/")
			_, putErr := d.Put("a", spool.JSON, nil)
			_, emptyErr := d.Empty()
			_, listErr := d.List()
			_, _, countErr := d.Count()
			_, sweepErr := d.Sweep(time.Now())
			asideErr := d.SetAside(spool.Entry{Name: someName}, "test")
			for i, err := range []error{putErr, emptyErr, listErr, countErr, sweepErr, asideErr, d.Check()} {
				if !errors.Is(err, spool.ErrUnsafe) {
					t.Errorf("call %d: error %v", i, err)
				} else if !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), tc.hint) {
					t.Errorf("call %d: %q names neither %s nor %q", i, err, path, tc.hint)
				}
			}
		})
	}
}

// Check returns an obstacle for the owner or for hooks with the command that removes it.
func TestCheck(t *testing.T) {
	t.Parallel()
	d, path := newDir(t)
	if err := errors.Join(d.Check(), spool.Open(path+"/none").Check()); err != nil {
		t.Error(err)
	}
	if os.Geteuid() == 0 {
		t.Skip("nothing is closed to this user")
	}
	for _, mode := range []fs.FileMode{0o500, 0o300, 0} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if err := d.Check(); !errors.Is(err, spool.ErrUnsafe) || !strings.Contains(err.Error(), "; try: chmod 700 ") {
			t.Errorf("mode %o: error %v", mode, err)
		}
	}
}

func TestDirectoryOthersMayReadIsSafe(t *testing.T) {
	t.Parallel()
	d, path := newDir(t)
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Put("a", spool.JSON, nil); err != nil {
		t.Error(err)
	}
}

func TestNotRegularFilesAreBroken(t *testing.T) {
	t.Parallel()
	for name, create := range map[string]func(path string) error{
		"directory": func(path string) error { return os.Mkdir(path, 0o700) },
		"FIFO":      func(path string) error { return unix.Mkfifo(path, 0o600) },
		"link": func(path string) error {
			target := filepath.Join(filepath.Dir(filepath.Dir(path)), "real")
			return errors.Join(os.WriteFile(target, []byte(content(spool.JSON, "{}")), 0o600), os.Symlink(target, path))
		},
		"dangling link": func(path string) error { return os.Symlink("/no/such", path) },
		"device link":   func(path string) error { return os.Symlink("/dev/zero", path) },
	} {
		d, path := newDir(t)
		if err := create(filepath.Join(path, someName)); err != nil {
			t.Fatal(err)
		}
		entries := list(t, d)
		if len(entries) != 1 {
			t.Fatalf("%s: listed %v", name, entries)
		}
		if _, _, err := d.Read(entries[0]); !errors.Is(err, spool.ErrBroken) {
			t.Errorf("%s: error %v", name, err)
		}
		if err := d.SetAside(entries[0], name); err != nil {
			t.Error(err)
		}
		if n, aside, err := d.Count(); n != 0 || aside != 1 || err != nil {
			t.Errorf("%s: count %d, %d, error %v", name, n, aside, err)
		}
	}
}

func TestSocketIsBroken(t *testing.T) {
	t.Parallel()
	// t.TempDir is too long for a socket address on some systems.
	path, err := os.MkdirTemp("", "spool")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(path)
	listener, err := net.Listen("unix", filepath.Join(path, someName))
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	if _, _, err := spool.Open(path).Read(spool.Entry{Name: someName}); !errors.Is(err, spool.ErrBroken) {
		t.Errorf("error %v", err)
	}
}

func init() {
	children["umask"] = func(dir, arg string) error {
		var mask int
		if _, err := fmt.Sscanf(arg, "%o", &mask); err != nil {
			return err
		}
		unix.Umask(mask)
		_, err := spool.Open(dir).Put("a", spool.JSON, nil)
		return err
	}
	children["file-size-limit"] = func(dir, _ string) error {
		signal.Ignore(syscall.SIGXFSZ)
		limit := unix.Rlimit{Cur: 4096, Max: 4096}
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
			return err
		}
		_, err := spool.Open(dir).Put("large", spool.JSON, make([]byte, 8192))
		if !errors.Is(err, unix.EFBIG) {
			return fmt.Errorf("put of a large body: %v", err)
		}
		_, err = spool.Open(dir).Put("small", spool.JSON, nil)
		return err
	}
}

func TestModesDoNotDependOnTheUmask(t *testing.T) {
	t.Parallel()
	for _, mask := range []string{"000", "022", "277", "777"} {
		path := filepath.Join(t.TempDir(), "parent", "spool")
		runChild(t, "umask", path, mask)
		file := filepath.Join(path, list(t, spool.Open(path))[0].Name)
		for path, want := range map[string]fs.FileMode{filepath.Dir(path): 0o700, path: 0o700, file: 0o600} {
			fi, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if fi.Mode().Perm() != want {
				t.Errorf("umask %s: %s has mode %o", mask, path, fi.Mode().Perm())
			}
		}
	}
}

func TestWriteThatFailsLeavesNothing(t *testing.T) {
	t.Parallel()
	_, path := newDir(t)
	runChild(t, "file-size-limit", path, "")
	if left := lsNames(t, path); len(left) != 1 || !strings.HasSuffix(left[0], "-small.ev") {
		t.Errorf("left: %q", left)
	}
}
