package spool_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"journal/journal/spool"
)

func TestSweep(t *testing.T) {
	t.Parallel()
	const tmp = ".tmp-" + someName
	whole := content(spool.JSON, "{}")
	for _, tc := range []struct {
		name, file, content string
		age                 time.Duration
		removed             bool
	}{
		{"torn", tmp, whole[:10], 61 * time.Minute, true},
		{"nothing in it", tmp, "", 61 * time.Minute, true},
		{"torn, clock set back", tmp, whole[:10], -61 * time.Minute, true},
		{"torn, not yet", tmp, whole[:10], 59 * time.Minute, false},
		{"complete", tmp, whole, 61 * time.Minute, false},
		{"newer", tmp, "journal-spool 2 ", 61 * time.Minute, false},
		{"name not ours", ".tmp-x", "", 61 * time.Minute, false},
		{"in the queue", someName, whole[:10], 61 * time.Minute, false},
	} {
		d, path := newDir(t)
		file := filepath.Join(path, tc.file)
		writeFile(t, file, tc.content)
		age(t, file, tc.age)
		removed, err := d.Sweep(time.Now())
		if err != nil || (removed == 1) != tc.removed {
			t.Errorf("%s: removed %d, error %v", tc.name, removed, err)
		}
		if _, err := os.Lstat(file); errors.Is(err, os.ErrNotExist) != tc.removed {
			t.Errorf("%s: file: %v", tc.name, err)
		}
	}
}

func TestSweepLeavesADirectory(t *testing.T) {
	t.Parallel()
	d, path := newDir(t)
	file := filepath.Join(path, ".tmp-"+someName)
	if err := os.Mkdir(file, 0o700); err != nil {
		t.Fatal(err)
	}
	age(t, file, 2*time.Hour)
	if removed, err := d.Sweep(time.Now()); removed != 0 || err != nil {
		t.Errorf("removed %d, error %v", removed, err)
	}
}
