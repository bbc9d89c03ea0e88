package archive_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"journal/embedded/store/archive"
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
		if err := archive.Begin(dir, whole, before); err != nil {
			t.Fatal(err)
		}
		w := open(t, dir, archive.Options{SegmentBytes: 600, AtOnce: true})
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
