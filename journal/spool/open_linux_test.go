package spool_test

import (
	"os"
	"runtime/debug"
	"testing"
	"time"

	"journal/journal/spool"
)

// A call leaves no file open: an owner makes thousands.
func TestNothingStaysOpen(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection would close files that were left open
	d, _ := newDir(t)
	open := func() int {
		t.Helper()
		all, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip(err)
		}
		return len(all)
	}
	use := func() {
		t.Helper()
		if _, err := d.Put("id-1", spool.JSON, []byte(`{}`)); err != nil {
			t.Fatal(err)
		}
		if empty, err := d.Empty(); err != nil || empty {
			t.Fatal(empty, err)
		}
		if n, _, err := d.Count(); err != nil || n != 1 {
			t.Fatal(n, err)
		}
		all, err := d.List()
		if err != nil || len(all) != 1 {
			t.Fatal(all, err)
		}
		if _, _, err := d.Read(all[0]); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Sweep(time.Now()); err != nil {
			t.Fatal(err)
		}
		if err := d.Remove(all[0]); err != nil {
			t.Fatal(err)
		}
	}
	use()
	before := open()
	for range 5 {
		use()
	}
	if after := open(); after != before {
		t.Errorf("%d files are open, %d were", after, before)
	}
}
