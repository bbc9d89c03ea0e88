package disk_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
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
