package spool_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"journal/journal/spool"
)

func TestMissingDirectoryIsAnEmptySpool(t *testing.T) {
	t.Parallel()
	d := spool.Open(filepath.Join(t.TempDir(), "no", "such"))
	if empty, err := d.Empty(); !empty || err != nil {
		t.Errorf("empty %v, error %v", empty, err)
	}
	if got := list(t, d); len(got) != 0 {
		t.Errorf("list %v", got)
	}
	if n, m, err := d.Count(); n != 0 || m != 0 || err != nil {
		t.Errorf("count %d, %d, error %v", n, m, err)
	}
	if n, err := d.Sweep(time.Now()); n != 0 || err != nil {
		t.Errorf("swept %d, error %v", n, err)
	}
}

func TestEmptyLooksAtNamesInTheQueue(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"00000000-0000000000000000-a.ev":      false,
		"foreign.ev":                          false,
		".tmp-00000000-0000000000000000-a.ev": true,
		"._00000000-0000000000000000-a.ev":    true,
		"README":                              true,
		"a.ev.bak":                            true,
	} {
		d, path := newDir(t)
		// Enough others that the one name is not in the first block.
		for i := range 100 {
			writeFile(t, filepath.Join(path, fmt.Sprintf("other-%d", i)), "")
		}
		writeFile(t, filepath.Join(path, name), "")
		if got, err := d.Empty(); got != want || err != nil {
			t.Errorf("%s: empty %v, error %v", name, got, err)
		}
	}
}

// What Empty sees must be what List gives, else a file stops every hook from
// using the direct way and nobody takes it away.
func TestNotEmptyMeansListed(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"00000000-0000000000000000-a.ev", "foreign.ev", "A-b.ev", "x y.ev"} {
		d, path := newDir(t)
		writeFile(t, filepath.Join(path, name), "")
		entries := list(t, d)
		if len(entries) != 1 || entries[0].Name != name {
			t.Errorf("%q: listed %v", name, entries)
			continue
		}
		if err := d.SetAside(entries[0], "test"); err != nil {
			t.Error(err)
		}
		if empty, err := d.Empty(); !empty || err != nil {
			t.Errorf("%q: empty %v after it was set aside, error %v", name, empty, err)
		}
	}
}

func TestCount(t *testing.T) {
	t.Parallel()
	d, path := newDir(t)
	for i := range 3 {
		if _, err := d.Put(fmt.Sprint("id-", i), spool.JSON, nil); err != nil {
			t.Fatal(err)
		}
	}
	writeFile(t, filepath.Join(path, ".tmp-"+newName(t, "t")), "")
	if err := d.SetAside(list(t, d)[0], "test"); err != nil {
		t.Fatal(err)
	}
	if n, aside, err := d.Count(); n != 2 || aside != 1 || err != nil {
		t.Errorf("count %d, %d, error %v", n, aside, err)
	}
}

func TestEntriesDoNotLeadOut(t *testing.T) {
	t.Parallel()
	d, path := newDir(t)
	outside := filepath.Join(filepath.Dir(path), "00000000-0000000000000000-a.ev")
	writeFile(t, outside, content(spool.JSON, "{}"))
	for _, name := range []string{"", ".", "..", "../" + filepath.Base(outside), outside} {
		e := spool.Entry{Name: name, ID: "a", Boot: "00000000"}
		if _, _, err := d.Read(e); err == nil {
			t.Errorf("read %q", name)
		}
		if err := d.Remove(e); err == nil {
			t.Errorf("removed %q", name)
		}
		if err := d.SetAside(e, "test"); err == nil {
			t.Errorf("set %q aside", name)
		}
	}
	if _, err := os.Stat(outside); err != nil {
		t.Error(err)
	}
}

// Remove returns an error for an entry that stays, or the owner would store it again and again.
func TestRemoveSaysWhatStays(t *testing.T) {
	t.Parallel()
	d, path := newDir(t)
	name := newName(t, "a")
	if err := os.Mkdir(filepath.Join(path, name), 0o700); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(path, name, "within"), "")
	entries := []spool.Entry{{Name: name}}
	if err := d.Remove(entries[0]); err == nil {
		t.Error("a directory with a file in it was removed")
	}
	if left, err := d.RemoveAll(entries); err == nil || len(left) != 1 {
		t.Errorf("%d left, error %v", len(left), err)
	}
}

// RemoveAll removes many entries, and returns those that stay, wherever they are in the list.
func TestRemoveAllOfMany(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 2, 15, 16, 17, 100} {
		d, path := newDir(t)
		var entries []spool.Entry
		stuck := map[string]bool{}
		for i := range n {
			name := newName(t, "a")
			entries = append(entries, spool.Entry{Name: name})
			if i%7 != 3 {
				writeFile(t, filepath.Join(path, name), "")
				continue
			}
			stuck[name] = true
			if err := os.MkdirAll(filepath.Join(path, name, "within"), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		left, err := d.RemoveAll(entries)
		if (err != nil) != (len(stuck) > 0) || len(left) != len(stuck) {
			t.Errorf("of %d, %d that stay: %d left, error %v", n, len(stuck), len(left), err)
		}
		for _, e := range left {
			if !stuck[e.Name] {
				t.Errorf("of %d: %s is left, and does not have to stay", n, e.Name)
			}
		}
		if names := lsNames(t, path); len(names) != len(stuck) {
			t.Errorf("of %d, %d that stay: %d are there", n, len(stuck), len(names))
		}
	}
}
