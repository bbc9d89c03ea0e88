package disk_test

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"journal/journal/disk"
)

func TestReadFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, empty, link := filepath.Join(dir, "f"), filepath.Join(dir, "empty"), filepath.Join(dir, "link")
	for name, content := range map[string]string{path: "12345", empty: ""} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		path string
		most int64
		want string
		err  error
	}{
		{path, 5, "12345", nil},
		{path, 4, "", disk.ErrTooLarge},
		{empty, 0, "", nil},
		{dir, 5, "", disk.ErrNotRegular},
		{link, 5, "", fs.ErrNotExist},
	} {
		got, err := disk.ReadFile(c.path, c.most)
		if string(got) != c.want || !errors.Is(err, c.err) {
			t.Errorf("%s, %d bytes: %q, error %v; want %q, %v", c.path, c.most, got, err, c.want, c.err)
		}
	}
}

// Many that replace a file at once leave one of theirs whole, and nothing else.
func TestReplace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			if err := disk.Replace(path, bytes.Repeat([]byte{byte('a' + i)}, 1000*(i+1))); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	b, err := os.ReadFile(path)
	if err != nil || len(b) == 0 || !bytes.Equal(b, bytes.Repeat(b[:1], 1000*int(b[0]-'a'+1))) {
		t.Errorf("%d bytes, %v", len(b), err)
	}
	if err := disk.Replace(dir, nil); err == nil {
		t.Error("a directory was replaced")
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) != 1 {
		t.Errorf("left: %v, %v", names, err)
	}
	if err := disk.Replace(filepath.Join(dir, "none", "f"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in a directory that is not there: %v", err)
	}
}

// A file that could not be filled is not synced: the error is that of fill and, as fill closed the file here, of closing it again.
func TestReplaceFails(t *testing.T) {
	t.Parallel()
	dir, full := t.TempDir(), errors.New("full")
	err := disk.ReplaceDurableBy(filepath.Join(dir, "f"), func(w io.Writer) error { return errors.Join(full, w.(io.Closer).Close()) })
	if !errors.Is(err, full) || strings.Contains(err.Error(), "sync") {
		t.Errorf("got %v", err)
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) > 0 {
		t.Errorf("left: %v, %v", names, err)
	}
}

func TestSyncDir(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := disk.SyncDir(dir); err != nil {
		t.Error(err)
	}
	if err := disk.SyncDir(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a directory that is not there: %v", err)
	}
}

// What is of the right kind stays, also by way of a link; anything else is kept under
// another name.
func TestSetAsideOther(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, folder, link, dangling := filepath.Join(dir, "f"), filepath.Join(dir, "d"), filepath.Join(dir, "l"), filepath.Join(dir, "n")
	if err := errors.Join(os.WriteFile(file, nil, 0o600), os.Mkdir(folder, 0o700), os.Symlink(file, link), os.Symlink("nothing", dangling)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path  string
		dir   bool
		moves bool
	}{
		{file, false, false}, {folder, true, false}, {link, false, false}, {dangling, false, false}, {filepath.Join(dir, "none"), false, false},
		{link, true, true}, {file, true, true}, {folder, false, true},
	} {
		to, err := disk.SetAsideOther(c.path, c.dir)
		if err != nil || (to != "") != c.moves {
			t.Errorf("%s: to %q, %v", c.path, to, err)
		}
		if _, err := os.Lstat(cmp.Or(to, c.path)); err != nil && c.path != filepath.Join(dir, "none") {
			t.Error(err)
		}
		if _, err := os.Lstat(c.path); c.moves && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is still there", c.path)
		}
	}
}
