package blocks_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"journal/embedded/store/blocks"
	"journal/journal/record"
)

var everything = []string{"journal.>"}

// saved gives the file of an index of the first messages of a stream.
func saved(t *testing.T, s blocks.Stream, until uint64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "index")
	r := blocks.NewReader(s).Indexed(path)
	if _, err := given(r, 0, until, everything, 1); err != nil {
		t.Fatal(err)
	}
	if err := r.Save(until + 1); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Fatalf("an index of %d messages was saved, of at least %d", until, until+1)
	}
	if err := r.Save(until); err != nil {
		t.Fatal(err)
	}
	return path
}

// A reader begins with the index in the file: what lies before its end is not read
// again, so that it may be damaged there.
func TestIndexIsKept(t *testing.T) {
	t.Parallel()
	s, want := store(t, 4000, 3000) // two blocks
	first, last := uint64(3000), uint64(len(want))
	path := saved(t, s, first)
	block := file(t, s, "msgs/1.blk")
	clear(block[:100])
	put(t, s, "msgs/1.blk", block)
	got, err := given(blocks.NewReader(s).Indexed(path), first-1000, last, everything, len(want))
	if err != nil || !cmp.Equal(want[first-1000:], got) {
		t.Errorf("%d messages, error %v", len(got), err)
	}
	if _, err := given(blocks.NewReader(s).Indexed(""), first-1000, last, everything, len(want)); !errors.Is(err, blocks.ErrUnreadable) {
		t.Errorf("without the file: error %v", err)
	}
}

// Whatever is in the file, what is read is what is stored.
func TestIndexIsDisposable(t *testing.T) {
	t.Parallel()
	s, want := store(t, 300, 50)
	other, _ := store(t, 300, 50)
	longer, _ := store(t, 301, 50)
	good, err := os.ReadFile(saved(t, s, 300))
	if err != nil {
		t.Fatal(err)
	}
	contents := map[string][]byte{"nothing": nil, "more": append(slices.Clone(good), 0), "directory": nil}
	for name, stream := range map[string]blocks.Stream{"of another log": other, "of a longer log": longer} {
		b, err := os.ReadFile(saved(t, stream, 300))
		if err != nil {
			t.Fatal(err)
		}
		contents[name] = b
	}
	for i := 0; i < len(good); i += 7 {
		b := slices.Clone(good)
		b[i] ^= 1 << (i % 8)
		contents[fmt.Sprint("a bit of byte ", i)] = b
		contents[fmt.Sprint("cut at ", i)] = good[:i]
	}
	path := filepath.Join(t.TempDir(), "index")
	for name, b := range contents {
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
		if name == "directory" {
			err = os.Mkdir(path, 0o700)
		} else {
			err = os.WriteFile(path, b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		got, err := given(blocks.NewReader(s).Indexed(path), 0, 300, everything, len(want))
		if err != nil || !cmp.Equal(want, got) {
			t.Fatalf("%s: %d messages, error %v", name, len(got), err)
		}
	}
}

// FuzzIndex reads beside whatever an index may hold.
func FuzzIndex(f *testing.F) {
	s, _ := store(f, 5, 10)
	f.Add([]byte("journal index 2\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(t.TempDir(), "index")
		if err := os.WriteFile(path, blocks.Sealed(b), 0o600); err != nil {
			t.Fatal(err)
		}
		r := blocks.NewReader(s).Indexed(path)
		n := 0
		err := r.Read(context.Background(), 0, 300, everything, func(record.Record) bool { n++; return true })
		if !errors.Is(err, blocks.ErrUnreadable) || n > 5 {
			t.Errorf("%d messages, error %v", n, err)
		}
	})
}
