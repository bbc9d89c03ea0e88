package rebuild_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"journal/embedded/store/rebuild"
	"journal/journal"
)

// A backup that cannot be restored leaves nothing, so that it can be tried again.
func TestRestoreBackupThatFailsLeavesNothing(t *testing.T) {
	t.Parallel()
	w := ten(t)
	if err := os.WriteFile(w.path("paused"), []byte("p\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "whole.tar")
	w.open(func(l *journal.Log) {
		if _, err := rebuild.Backup(t.Context(), w.dir, l, file, "test"); err != nil {
			t.Fatal(err)
		}
	})
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	to := &world{t: t, dir: filepath.Join(t.TempDir(), "j")}
	to.own()
	// A file where the new store is to be made, as a full disk would fail.
	if err := os.WriteFile(to.path("store.new"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := rebuild.RestoreBackup(t.Context(), to.lock, nil, bytes.NewReader(b)); err == nil {
		t.Fatal("it was restored")
	}
	left, err := os.ReadDir(to.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range left {
		if d.Name() != "owner.lock" && d.Name() != "owner.drops" { // those of every directory
			t.Errorf("%s is left", d.Name())
		}
	}
	if s, err := rebuild.RestoreBackup(t.Context(), to.lock, nil, bytes.NewReader(b)); err != nil || s.Events != uint64(len(w.all)) {
		t.Errorf("the second time: %+v, %v", s, err)
	}
	if _, err := os.Stat(to.path("paused")); err != nil {
		t.Error(err)
	}
}
