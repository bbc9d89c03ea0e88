//go:build unix

package embedded_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"journal/cmd/testkit/ownertest"
	"journal/cmd/testkit/testutil"
	"journal/embedded"
	"journal/embedded/store/ownership"
	"journal/journal/wire/sock"
)

func init() {
	children["umask"] = func(dir string) int { return underUmask(dir, 0) }
	children["umask-all"] = func(dir string) int { return underUmask(dir, 0o777) }
}

// underUmask starts and stops an owner under a umask, and prints every path that others can access or that the user cannot.
func underUmask(dir string, mask int) int {
	syscall.Umask(mask)
	fail := func(err error) int {
		fmt.Println(err)
		return exitError
	}
	if err := ownership.Prepare(dir); err != nil {
		return fail(err)
	}
	l, err := ownership.TryLock(dir)
	if err != nil {
		return fail(err)
	}
	if mask != 0 {
		// The server's own files take the umask as it is.
		return report(filepath.Dir(dir))
	}
	s, err := embedded.Own(context.Background(), l, embedded.Options{})
	if err != nil {
		return fail(err)
	}
	if err := s.Serve(); err != nil {
		return fail(err)
	}
	js, _, err := stream(s.Conn())
	if err != nil {
		return fail(err)
	}
	if _, err := js.Publish(context.Background(), "journal.p.s.t", []byte("x")); err != nil {
		return fail(err)
	}
	if code := report(filepath.Dir(dir)); code != exitWon {
		return code
	}
	if err := s.Close(); err != nil {
		return fail(err)
	}
	return report(filepath.Dir(dir))
}

func report(root string) (code int) {
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		}
		if fi.Mode().Perm() != want {
			fmt.Printf("%s has mode %v\n", path, fi.Mode())
			code = exitError
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
		return exitError
	}
	return code
}

func TestFilesArePrivateWhateverTheUmask(t *testing.T) {
	t.Parallel()
	for _, role := range []string{"umask", "umask-all"} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(ownertest.Dir(t), "a", "b")
			if out, err := child(t, role, dir).Output(); err != nil {
				t.Fatalf("%v:\n%s", err, out)
			}
		})
	}
}

func TestPrepareTightens(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := ownership.Prepare(dir); err != nil {
		t.Fatal(err)
	}
	fi, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	if fi.Mode().Perm() != 0o700 {
		t.Errorf("mode %v", fi.Mode())
	}
}

func TestPrepareRefuses(t *testing.T) {
	t.Parallel()
	chmod := func(mode fs.FileMode) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			if err := os.Chmod(dir, mode); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, c := range map[string]struct {
		spoil func(t *testing.T, dir string)
		says  string
	}{
		"group can write":  {chmod(0o720), "chmod 700 '"},
		"others can write": {chmod(0o702), "chmod 700 '"},
		"another's": {func(t *testing.T, dir string) {
			if os.Geteuid() != 0 {
				t.Skip("only root can give files away")
			}
			if err := os.Chown(dir, 12345, -1); err != nil {
				t.Fatal(err)
			}
		}, "belongs to user 12345, not to 0; run it as that user, without sudo"},
		"symlink": {func(t *testing.T, dir string) {
			if err := os.Rename(dir, dir+"2"); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(dir+"2", dir); err != nil {
				t.Fatal(err)
			}
		}, "symbolic link"},
		"file": {func(t *testing.T, dir string) {
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
			write(t, dir, "")
		}, "not a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := ownertest.Dir(t)
			c.spoil(t, dir)
			before, _ := os.Lstat(dir)
			err := ownership.Prepare(dir)
			testutil.WantError(t, err, ownership.ErrUnsafeDir)
			wantText(t, err.Error(), dir, c.says)
			if after, _ := os.Lstat(dir); after.Mode() != before.Mode() {
				t.Errorf("mode changed from %v to %v", before.Mode(), after.Mode())
			}
		})
	}
}

func TestRule14LongPath(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(ownertest.Dir(t), strings.Repeat("deep/", 30))
	if err := ownership.Prepare(dir); err != nil {
		t.Fatal(err)
	}
	s := owner(t, dir, embedded.Options{})
	if err := dial(t, dir).Flush(); err != nil {
		t.Fatal(err)
	}
	path := sock.Path(dir)
	if strings.HasPrefix(path, dir) || len(path) > sock.MaxPath {
		t.Errorf("socket at %s", path)
	}
	if fi, err := os.Lstat(path); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("socket: %v, %v", fi, err)
	}
	if fi, err := os.Lstat(filepath.Dir(path)); err != nil || fi.Mode() != fs.ModeDir|0o700 {
		t.Errorf("socket directory: %v, %v", fi, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(path); err == nil {
		t.Error("the socket outlived the owner")
	}
}
