package rebuild_test

import (
	"archive/tar"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"journal/cmd/testkit/testutil"
	"journal/embedded/rebuild"
	"journal/journal"
)

// A failed restore leaves nothing, so that it can be retried.
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
	// A file in the place of the new store fails the restore as a full disk would.
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

// A tar of a few kilobytes may have a sparse file of any size. That is no backup, and nothing of it is written.
func TestASparseFileIsNoPartOfABackup(t *testing.T) {
	t.Parallel()
	const name = "archive/0000000000000001-0000000000000002.zst"
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	add := func(h tar.Header, content string) {
		h.Size, h.Mode, h.Format = int64(len(content)), 0o600, tar.FormatUSTAR
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	add(tar.Header{Name: "backup.json"}, `{"format":3,"events":2}`)
	at := b.Len()
	var extended string
	for _, r := range []string{"GNU.sparse.major=1", "GNU.sparse.minor=0", "GNU.sparse.name=" + name, "GNU.sparse.realsize=1048576"} {
		extended += fmt.Sprintf("%d %s\n", len(r)+4, r) // all are two digits long
	}
	add(tar.Header{Name: "extended"}, extended)
	head := b.Bytes()[at:]
	head[156] = 'x' // which the writer makes of itself alone
	copy(head[148:], "        ")
	sum := 0
	for _, c := range head[:512] {
		sum += int(c)
	}
	copy(head[148:], fmt.Sprintf("%06o\x00 ", sum))
	add(tar.Header{Name: "GNUSparseFile.1/1"}, "1\n1048576\n0\n"+strings.Repeat("\x00", 500))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	to := &world{t: t, dir: filepath.Join(t.TempDir(), "j")}
	to.own()
	_, err := rebuild.RestoreBackup(t.Context(), to.lock, nil, &b)
	testutil.WantError(t, err, rebuild.ErrNotBackup)
	if want := fmt.Sprintf("it contains %q, which belongs to no backup", name); !strings.HasSuffix(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}
