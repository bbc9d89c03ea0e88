package archive_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"testing"

	"journal/embedded/store/archive"
	"journal/journal/disk"
)

// TestFlip: a flipped bit anywhere in any file is found, the damage names every sequence that is missing, and reading continues after it
// (ADR-0012).
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

// TestTruncate: the whole records of an open segment that is cut anywhere are read, and the writer continues after them.
func TestTruncate(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "archive")
	w := open(t, dir, archive.Options{})
	for last := range uint64(4) { // pairs, each written by itself
		grow(t, w, 2*last+2)
	}
	chain := w.Chain()
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
		seq := w.Last()
		if seq != uint64(len(before)) {
			t.Fatalf("%d of %d bytes: opened at #%d with %d records", n, len(whole), seq, len(before))
		}
		if d := w.Repaired(); d != nil && d.First != seq+1 {
			t.Fatalf("%d bytes: repaired %v at #%d", n, d, seq)
		}
		grow(t, w, 8)
		if w.Chain() != chain {
			t.Fatalf("%d bytes: another chain", n)
		}
		closed(t, w)
		if r := check(t, dir); len(r.Damage) > 0 || r.Records != 8 || r.Chain != w.Chain() {
			t.Fatalf("%d bytes: %+v", n, r)
		}
	}
}

// TestTornMiddle: good records after a torn one are kept in a file that is set aside.
func TestTornMiddle(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a file that is open cannot be renamed")
	}
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
	if seq := w.Last(); seq == 0 || seq >= 8 || w.Repaired() == nil {
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

// TestMissingSegment: a missing segment is reported by its sequences.
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

// TestTwoSegments: records in two segments are reported, and read once.
func TestTwoSegments(t *testing.T) {
	t.Parallel()
	dir, other := full(t, 40, true), filepath.Join(t.TempDir(), "archive")
	w := open(t, other, archive.Options{})
	grow(t, w, 12)
	closed(t, w)
	first, long := files(t, dir, ".zst")[0], files(t, other, ".zst")[0]
	b, err := os.ReadFile(filepath.Join(other, long))
	if err == nil {
		err = errors.Join(os.Remove(filepath.Join(dir, first)), os.WriteFile(filepath.Join(dir, long), b, 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
	got, _ := read(t, dir, 0)
	r := check(t, dir)
	twice := slices.ContainsFunc(r.Damage, func(d archive.Damage) bool {
		return d.Reason == "records lie in two segments" && d.First <= 12 && d.Last == 12
	})
	if len(got) != 40 || !twice {
		t.Errorf("%d records, damage %v", len(got), r.Damage)
	}
}

// TestDamagedChunk: of a sealed segment with damage in the middle, the records before and after it are read.
func TestDamagedChunk(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "archive")
	w := open(t, dir, archive.Options{})
	const last = 40
	noise := rand.New(rand.NewPCG(1, 2))
	for seq := uint64(1); seq <= last; seq++ {
		r := sample(seq)
		r.Data = make([]byte, 64<<10)
		for i := range r.Data {
			r.Data[i] = byte(noise.Uint32())
		}
		if err := w.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	closed(t, w)
	path := filepath.Join(dir, files(t, dir, ".zst")[0])
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 4
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	got, damage := read(t, dir, 0)
	if n := len(got); n < last/2 || n == last || got[0].Seq != 1 || got[n-1].Seq != last {
		t.Errorf("%d records of %d, damage %v", n, last, damage)
	}
}

// TestCheckNext: it finds every changed, cut or added byte of a sealed segment, and goes from one segment to the next, also over a gap.
func TestCheckNext(t *testing.T) {
	t.Parallel()
	dir := full(t, 40, true)
	look := func() (bytes int64, damaged []string) {
		after := uint64(0)
		for {
			last, found, more, err := archive.CheckNext(dir, after, func(n int) error { bytes += int64(n); return nil })
			if err != nil {
				t.Fatal(err)
			}
			if !more {
				if after != 40 {
					t.Errorf("it ends behind #%d", after)
				}
				return bytes, damaged
			}
			if found != nil {
				damaged = append(damaged, found.File)
			}
			after = last
		}
	}
	names := files(t, dir, ".zst")
	var size int64
	for _, name := range names {
		fi, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		size += fi.Size()
	}
	if n, damaged := look(); n != size || damaged != nil {
		t.Errorf("%d of %d bytes looked at, damaged %q", n, size, damaged)
	}
	path := filepath.Join(dir, names[1])
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	flipped := slices.Clone(whole)
	flipped[len(flipped)/2] ^= 1
	for _, b := range [][]byte{flipped, whole[:len(whole)-1], append(slices.Clone(whole), 0), nil} {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, damaged := look(); !slices.Equal(damaged, names[1:2]) {
			t.Errorf("of %d bytes: damaged %q", len(b), damaged)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, damaged := look(); !slices.Equal(damaged, []string{""}) {
		t.Errorf("damaged %q", damaged)
	}
	var before, last uint64
	if _, err := fmt.Sscanf(names[0], "0000000000000001-%x.zst", &before); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscanf(names[1][len("0000000000000001-"):], "%x.zst", &last); err != nil {
		t.Fatal(err)
	}
	if to, gap, more, err := archive.CheckNext(dir, before, func(int) error { return nil }); err != nil || !more || to != last || gap == nil || gap.First != before+1 || gap.Last != last {
		t.Errorf("behind #%d: up to #%d, %v, %v", before, to, gap, err)
	}
	slow := errors.New("later")
	if _, _, more, err := archive.CheckNext(dir, last, func(int) error { return slow }); !errors.Is(err, slow) || more {
		t.Errorf("the pace says no: %v", err)
	}
}

// TestCheckNextWhileSealed: a segment that the writer continues and seals again meanwhile is not damaged.
func TestCheckNextWhileSealed(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "archive")
	w := open(t, dir, archive.Options{})
	grow(t, w, 5)
	closed(t, w)
	last, found, more, err := archive.CheckNext(dir, 0, func(int) error {
		if w.Last() < 9 {
			w = open(t, dir, archive.Options{})
			grow(t, w, 9)
			closed(t, w)
		}
		return nil
	})
	if last != 9 || found != nil || !more || err != nil {
		t.Errorf("up to #%d: %v, %v, %v", last, found, more, err)
	}
	if err := os.Symlink("nowhere", filepath.Join(dir, fmt.Sprintf("%016x-%016x.zst", 10, 12))); err != nil {
		t.Skip(err)
	}
	if last, found, more, err = archive.CheckNext(dir, 9, func(int) error { return nil }); last != 12 || found == nil || !more || err != nil {
		t.Errorf("a link to nothing: up to #%d: %v, %v, %v", last, found, more, err)
	}
}

// TestUnreadable: a file that is too long, or that the disk cannot read, is damage of this segment alone. Of other errors nothing is known.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	for err, damaged := range map[error]bool{disk.ErrTooLarge: true, syscall.EIO: true, syscall.EMFILE: false, fs.ErrNotExist: false, nil: false} {
		if reason := archive.Unreadable(&fs.PathError{Op: "read", Err: err}); (reason != "") != damaged {
			t.Errorf("%v: %q", err, reason)
		}
	}
}

// TestEndlessOpenFile: an open segment that cannot be read is set aside, not deleted.
func TestEndlessOpenFile(t *testing.T) {
	t.Parallel()
	dir := full(t, 40, true)
	end := filepath.Join(dir, fmt.Sprintf("%016x.open", 41))
	if err := errors.Join(os.WriteFile(end, nil, 0o600), os.Truncate(end, 3<<30)); err != nil {
		t.Fatal(err)
	}
	if w := open(t, dir, archive.Options{}); w.Last() != 40 || w.Repaired() == nil || !w.Repaired().Tail {
		t.Errorf("opened at #%d, %v", w.Last(), w.Repaired())
	}
	if _, err := os.Lstat(end + ".damaged"); err != nil {
		t.Error(err)
	}
}

// TestContinuedSegment: of a short segment that is being continued, the sealed file has the records that the open one lost. What the open one
// has, or may have, behind its damage is read too, and not deleted beside the sealed file.
func TestContinuedSegment(t *testing.T) {
	t.Parallel()
	flip := func(path string) error {
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		b[70] ^= 1 // in the first record
		return os.WriteFile(path, b, 0o600)
	}
	for _, c := range []struct {
		name            string
		spoil           func(path string) error
		records, damage int // that are read
	}{
		{"torn in the middle", flip, 9, 0},
		{"unreadable", func(path string) error { return os.Truncate(path, 3<<30) }, 5, 1},
	} {
		dir := filepath.Join(t.TempDir(), "archive")
		w := open(t, dir, archive.Options{})
		grow(t, w, 5)
		closed(t, w)
		grow(t, open(t, dir, archive.Options{}), 9)
		path := filepath.Join(dir, files(t, dir, ".open")[0])
		if err := c.spoil(path); err != nil {
			t.Fatal(err)
		}
		if r := check(t, dir); len(r.Damage) == 0 || r.Last != uint64(c.records) {
			t.Errorf("%s: the check finds %+v", c.name, r)
		}
		got, damage := read(t, dir, 0)
		if len(got) != c.records || got[0].Seq != 1 || len(damage) != c.damage || c.damage > 0 && damage[0].First != 6 {
			t.Errorf("%s: %d records, damage %v", c.name, len(got), damage)
		}
		w = open(t, dir, archive.Options{})
		if d := w.Repaired(); w.Last() != 5 || d == nil || d.First != 6 {
			t.Errorf("%s: opened at #%d, %v", c.name, w.Last(), d)
		}
		if _, err := os.Lstat(path + ".damaged"); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestResealed: a valid segment of another archive is damage in this one.
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

// TestCrashAroundSeal: after a crash between the steps of sealing or reopening a segment the archive is whole.
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
			if seq := w.Last(); seq != 9 {
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
