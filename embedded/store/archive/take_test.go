package archive_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"journal/embedded/store/archive"
	"journal/journal/record"
)

// An archive that begins with segments of another one has the records and segments that an owner would have written, and the taken ones byte
// for byte: with no segment, with some, with one that is still short, and with all.
func TestBegun(t *testing.T) {
	t.Parallel()
	const last = 200
	whole := full(t, last, true)
	names := files(t, whole, ".zst")
	if len(names) < 5 {
		t.Fatalf("%d segments", len(names))
	}
	for _, before := range []uint64{1, 2, 60, 61, 62, 63, 64, 65, 150, last, last + 1} {
		dir := filepath.Join(t.TempDir(), "made")
		w := open(t, dir, archive.Options{SegmentBytes: 600, AtOnce: true})
		from, err := archive.SegmentsIn(whole)
		taken := 0
		for more := true; more && err == nil; {
			if more, err = w.Take(from, func(_, last uint64) bool { return last < before }); more {
				taken++
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		kept := w.Last()
		if kept >= before || before == last+1 && kept != last {
			t.Errorf("before #%d: #%d is kept", before, kept)
		}
		grow(t, w, last)
		if open := files(t, dir, ".open"); len(open) > 0 {
			t.Errorf("before #%d: %v is there before the end", before, open)
		}
		closed(t, w)
		if got := files(t, dir, ""); !slices.Equal(got, names) {
			t.Fatalf("before #%d: %v, want %v", before, got, names)
		}
		is, _ := read(t, dir, 0)
		if was, _ := read(t, whole, 0); !cmp.Equal(is, was) {
			t.Errorf("before #%d: it has other records", before)
		}
		if n := len(same(t, whole, dir)); n < taken-1 || n > taken { // a short last one is written again
			t.Errorf("before #%d: %d segments are the same files, %d were taken", before, n, taken)
		}
		if r := check(t, dir); len(r.Damage) > 0 || r.Records != last {
			t.Errorf("before #%d: %+v", before, r)
		}
	}
}

// Whatever was changed or damaged in the old archive, the new one has the right records, and its segments are linked.
func TestTaken(t *testing.T) {
	t.Parallel()
	const last = 200
	rnd := rand.New(rand.NewPCG(3, 4))
	all := 0
	for range 60 {
		whole := full(t, last, true)
		changed := map[uint64]bool{}
		for range rnd.IntN(4) {
			changed[1+rnd.Uint64N(last)] = true
		}
		if rnd.IntN(3) == 0 {
			names := files(t, whole, ".zst")
			path := filepath.Join(whole, names[rnd.IntN(len(names))])
			b, err := os.ReadFile(path)
			if err == nil {
				b[rnd.IntN(len(b))] ^= 8
				err = os.WriteFile(path, b, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		dir := t.TempDir()
		w := open(t, filepath.Join(dir, "made"), archive.Options{SegmentBytes: 600, AtOnce: true})
		from, err := archive.SegmentsIn(whole)
		if err != nil {
			t.Fatal(err)
		}
		var want []record.Record
		for seq := uint64(1); seq <= last; seq++ {
			r := sample(seq)
			if changed[seq] {
				r.Subject, r.Data = "journal.forgotten", nil
			}
			want = append(want, r)
			if at := w.Last(); at >= seq {
				continue
			}
			taken, err := w.Take(from, func(first, last uint64) bool {
				for seq := range changed {
					if seq >= first && seq <= last {
						return false
					}
				}
				return true
			})
			if !taken && err == nil {
				err = w.Append(r)
			} else {
				all++
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if seq := w.Last(); seq != last {
			t.Fatalf("it ends at #%d", seq)
		}
		closed(t, w)
		if r := check(t, filepath.Join(dir, "made")); len(r.Damage) > 0 || r.Records != last {
			t.Fatalf("changed %v: %+v", changed, r)
		}
		got, damage := read(t, filepath.Join(dir, "made"), 0)
		if len(damage) > 0 || !slices.EqualFunc(want, got, sameRecord) { // what differs takes far longer to find
			t.Fatalf("damage %v (-want +got):\n%s", damage, cmp.Diff(want, got, cmpopts.EquateEmpty()))
		}
	}
	if all < 100 {
		t.Errorf("%d segments were taken", all)
	}
}

// same returns the segments that two archives have byte for byte.
func same(t *testing.T, dir, other string) (names []string) {
	t.Helper()
	for _, name := range files(t, dir, ".zst") {
		a, err := os.ReadFile(filepath.Join(dir, name))
		b, otherErr := os.ReadFile(filepath.Join(other, name))
		if err == nil && otherErr == nil && bytes.Equal(a, b) {
			names = append(names, name)
		}
	}
	return names
}

func sameRecord(a, b record.Record) bool {
	return a.Seq == b.Seq && a.Subject == b.Subject && a.ID == b.ID && bytes.Equal(a.Data, b.Data)
}

// A segment that cannot be read is not taken, like any damaged one: a rebuild would fail otherwise.
func TestTakeUnreadable(t *testing.T) {
	t.Parallel()
	whole := full(t, 40, true)
	if err := os.Truncate(filepath.Join(whole, files(t, whole, ".zst")[0]), 1<<30); err != nil {
		t.Fatal(err)
	}
	from, err := archive.SegmentsIn(whole)
	if err != nil {
		t.Fatal(err)
	}
	w := open(t, filepath.Join(t.TempDir(), "made"), archive.Options{AtOnce: true})
	if taken, err := w.Take(from, func(_, _ uint64) bool { return true }); taken || err != nil {
		t.Errorf("taken: %v, error %v", taken, err)
	}
}
