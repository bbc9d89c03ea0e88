package snapshots

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// What was not used for long goes, then what was used longest ago (DECISIONS 3.23).
func TestPrune(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := In(dir)
	if err := d.Prune(time.Now()); err != nil {
		t.Errorf("without a directory: %v", err)
	}
	now := time.Now()
	put := func(name string, bytes int, age time.Duration) {
		t.Helper()
		path := filepath.Join(dir, "snapshots", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, make([]byte, bytes), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	left := func(most int64) (names []string) {
		t.Helper()
		if err := d.prune(now, most); err != nil {
			t.Fatal(err)
		}
		files, err := os.ReadDir(filepath.Join(dir, "snapshots"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			names = append(names, f.Name())
		}
		return names
	}
	put("a-1", 100, 3*time.Hour)
	put("a-2", 100, time.Hour)
	put("b-9", 100, 2*time.Hour)
	put("c-5", 100, keptFor+time.Hour)
	put("a-3.new", 100, 0)
	if diff := cmp.Diff([]string{"a-1", "a-2", "b-9"}, left(300)); diff != "" {
		t.Errorf("unused (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a-2"}, left(199)); diff != "" {
		t.Errorf("too much (-want +got):\n%s", diff)
	}
}
