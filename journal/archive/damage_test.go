package archive_test

import (
	"os"
	"path/filepath"
	"testing"

	"journal/journal/archive"
)

// TestFlip: a flipped bit anywhere in any file is found, the damage names every
// sequence that is not given, and reading goes on after it (ADR-0012).
func TestFlip(t *testing.T) {
	t.Parallel()
	const last = 40
	dir := full(t, last, false)
	for _, name := range files(t, dir, "") {
		path := filepath.Join(dir, name)
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		// In place: to write the file anew would wait for the disk.
		put := func(at int, b byte) {
			if _, err := f.WriteAt([]byte{b}, int64(at)); err != nil {
				t.Fatal(err)
			}
		}
		for at, b := range whole {
			put(at, b^1<<(at%8))
			r := check(t, dir)
			if len(r.Damage) == 0 {
				t.Fatalf("%s: a flip at %d is not found", name, at)
			}
			got, _ := read(t, dir, 0)
			good := map[uint64]bool{}
			for _, rec := range got {
				if want := sample(rec.Seq); want.ID != rec.ID || want.Subject != rec.Subject || string(want.Data) != string(rec.Data) {
					t.Fatalf("%s: flip at %d: #%d is altered", name, at, rec.Seq)
				}
				good[rec.Seq] = true
			}
			for seq := uint64(1); seq <= last; seq++ {
				if !good[seq] && !covered(r.Damage, seq) {
					t.Fatalf("%s: flip at %d: #%d is lost and not named by %v", name, at, seq, r.Damage)
				}
			}
			if uint64(len(got)) != r.Records {
				t.Fatalf("%s: flip at %d: %d records read, %d counted", name, at, len(got), r.Records)
			}
			put(at, b)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func covered(all []archive.Damage, seq uint64) bool {
	for _, d := range all {
		if d.First <= seq && (seq <= d.Last || d.Tail) {
			return true
		}
	}
	return false
}

// TestTruncate: an open segment cut anywhere gives its whole records back, and
// writing goes on after them.
func TestTruncate(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "archive")
	w := open(t, dir, archive.Options{})
	for last := range uint64(4) { // pairs, each written by itself
		grow(t, w, 2*last+2)
	}
	_, chain := w.Last()
	name := files(t, dir, ".open")[0]
	whole, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	for n := range whole {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name), whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		before, _ := read(t, dir, 0)
		w := open(t, dir, archive.Options{})
		seq, _ := w.Last()
		if seq != uint64(len(before)) {
			t.Fatalf("%d of %d bytes: opened at #%d with %d records", n, len(whole), seq, len(before))
		}
		if d := w.Repaired(); d != nil && d.First != seq+1 {
			t.Fatalf("%d bytes: repaired %v at #%d", n, d, seq)
		}
		grow(t, w, 8)
		if _, c := w.Last(); c != chain {
			t.Fatalf("%d bytes: another chain", n)
		}
		closed(t, w)
		if r := check(t, dir); len(r.Damage) > 0 || r.Records != 8 || r.Chain != chain {
			t.Fatalf("%d bytes: %+v", n, r)
		}
	}
}

// TestTornMiddle: good records after a tear are kept beside the segment.
func TestTornMiddle(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "archive")
	torn := open(t, dir, archive.Options{})
	for last := range uint64(4) { // pairs, each written by itself
		grow(t, torn, 2*last+2)
	}
	path := filepath.Join(dir, files(t, dir, ".open")[0])
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 1
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	w := open(t, dir, archive.Options{})
	if seq, _ := w.Last(); seq == 0 || seq >= 8 || w.Repaired() == nil {
		t.Errorf("opened at #%d, %v", seq, w.Repaired())
	}
	if n := len(files(t, dir, ".damaged")); n != 1 {
		t.Errorf("%d files set aside", n)
	}
	grow(t, w, 9)
	closed(t, w)
	if r := check(t, dir); len(r.Damage) > 0 || r.Last != 9 {
		t.Errorf("%+v", r)
	}
}

// TestMissingSegment: a segment that is gone is named by its sequences.
func TestMissingSegment(t *testing.T) {
	t.Parallel()
	dir := full(t, 40, true)
	names := files(t, dir, ".zst")
	if err := os.Remove(filepath.Join(dir, names[1])); err != nil {
		t.Fatal(err)
	}
	got, damage := read(t, dir, 0)
	r := check(t, dir)
	if len(r.Damage) != 1 || len(damage) != 1 || r.Damage[0] != damage[0] {
		t.Fatalf("%v and %v", r.Damage, damage)
	}
	if d := damage[0]; uint64(len(got))+d.Last-d.First+1 != 40 {
		t.Errorf("%d records and %v", len(got), d)
	}
}

// TestResealed: a segment of another archive, whole in itself, does not pass for
// this one's.
func TestResealed(t *testing.T) {
	t.Parallel()
	dir, other := full(t, 40, true), filepath.Join(t.TempDir(), "archive")
	forged := sample(1)
	forged.Data = []byte("forged")
	w := open(t, other, archive.Options{SegmentBytes: 600})
	if err := w.Append(forged); err != nil {
		t.Fatal(err)
	}
	grow(t, w, 40)
	closed(t, w)
	name := files(t, dir, ".zst")[0]
	b, err := os.ReadFile(filepath.Join(other, name))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
		t.Fatal(err)
	}
	if r := check(t, dir); len(r.Damage) == 0 {
		t.Error("an altered event passes")
	}
}

// TestCrashAroundSeal: what a crash leaves between the steps of sealing and of
// opening again is one archive.
func TestCrashAroundSeal(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "archive")
	w := open(t, dir, archive.Options{})
	grow(t, w, 5)
	openFile := files(t, dir, ".open")[0]
	five, err := os.ReadFile(filepath.Join(dir, openFile))
	if err != nil {
		t.Fatal(err)
	}
	grow(t, w, 9)
	nine, err := os.ReadFile(filepath.Join(dir, openFile))
	if err != nil {
		t.Fatal(err)
	}
	closed(t, w)
	sealed := files(t, dir, ".zst")[0]
	zst, err := os.ReadFile(filepath.Join(dir, sealed))
	if err != nil {
		t.Fatal(err)
	}
	for name, left := range map[string]map[string][]byte{
		"before the rename":        {openFile: nine, sealed + ".tmp": zst[:len(zst)/2]},
		"before the removal":       {openFile: nine, sealed: zst},
		"opening again, half":      {sealed: zst, openFile + ".tmp": five},
		"open again, torn":         {sealed: zst, openFile: five},
		"sealed is bad, open good": {sealed: zst[:len(zst)-3], openFile: nine},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for name, b := range left {
				if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if r := check(t, dir); len(r.Damage) > 0 || r.Last != 9 {
				t.Errorf("before opening: %+v", r)
			}
			w := open(t, dir, archive.Options{})
			if seq, _ := w.Last(); seq != 9 {
				t.Errorf("opened at #%d", seq)
			}
			grow(t, w, 11)
			closed(t, w)
			if r := check(t, dir); len(r.Damage) > 0 || r.Records != 11 || r.Segments != 1 {
				t.Errorf("%+v", r)
			}
			if n := len(files(t, dir, "")); n != 1 {
				t.Errorf("%d files", n)
			}
		})
	}
}
