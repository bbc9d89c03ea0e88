package service

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Files from before the last 30 days count for the size and not for the growth.
func TestDisk(t *testing.T) {
	t.Parallel()
	dir, now := t.TempDir(), time.Now()
	file := func(name string, size int, age time.Duration) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	if d, err := measureDisk(dir, now); err != nil || d != (Disk{Days: 1}) {
		t.Errorf("of nothing: %+v, %v", d, err)
	}
	file("store/deep/1.blk", 9000, time.Hour)
	file("archive/new", 750, 3*day)
	file("spool/a.ev", 7, 0)
	file("index", 11, 0)
	want := Disk{Store: 9000, Archive: 750, Index: 11, Spool: 7, PerDay: 9750 / 4, Days: 4}
	if d, err := measureDisk(dir, now); err != nil || d != want {
		t.Errorf("of four days: %+v, want %+v, %v", d, want, err)
	}
	file("archive/old", 2250, 400*day)
	want = Disk{Store: 9000, Archive: 3000, Index: 11, Spool: 7, PerDay: 12000 / 4 / growthDays, Days: growthDays}
	if d, err := measureDisk(dir, now); err != nil || d != want {
		t.Errorf("of a year: %+v, want %+v, %v", d, want, err)
	}
}
