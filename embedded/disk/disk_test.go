package disk_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"

	"journal/embedded/disk"
)

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
