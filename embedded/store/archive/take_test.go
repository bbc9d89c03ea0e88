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

// An archive that is made of the segments of another one, and written at once from there on, is the very archive that an
// owner would have written: of nothing, of some segments, of one that is still short, and of all.
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
		for taken := true; taken && err == nil; {
			taken, err = w.Take(from, func(_, last uint64) bool { return last < before })
		}
		if err != nil {
			t.Fatal(err)
		}
		kept, _ := w.Last()
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
		for _, name := range names {
			got, err := os.ReadFile(filepath.Join(dir, name))
			want, wantErr := os.ReadFile(filepath.Join(whole, name))
			if err != nil || wantErr != nil || !bytes.Equal(got, want) {
				t.Errorf("before #%d: %s has other bytes, %v, %v", before, name, err, wantErr)
			}
		}
		if r := check(t, dir); len(r.Damage) > 0 || r.Records != last {
			t.Errorf("before #%d: %+v", before, r)
		}
	}
}

// Whatever changes in an archive, and whatever of it is damaged: where segments are taken over, the new one has the records
// that it is to have, and the chain of one into which each was appended.
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
		plain := open(t, filepath.Join(dir, "plain"), archive.Options{SegmentBytes: 600})
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
			if err := plain.Append(r); err != nil {
				t.Fatal(err)
			}
			if at, _ := w.Last(); at >= seq {
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
		_, chain := plain.Last()
		if seq, is := w.Last(); seq != last || is != chain {
			t.Fatalf("it ends at #%d with the chain %x, want %x", seq, is, chain)
		}
		closed(t, w)
		if r := check(t, filepath.Join(dir, "made")); len(r.Damage) > 0 || r.Records != last || r.Chain != chain {
			t.Fatalf("changed %v: %+v", changed, r)
		}
		got, damage := read(t, filepath.Join(dir, "made"), 0)
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); len(damage) > 0 || diff != "" {
			t.Fatalf("damage %v (-want +got):\n%s", damage, diff)
		}
	}
	if all < 100 {
		t.Errorf("%d segments were taken", all)
	}
}
