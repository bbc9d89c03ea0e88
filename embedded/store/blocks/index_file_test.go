package blocks_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"journal/embedded/store/blocks"
	"journal/journal/record"
)

var everything = []string{"journal.>"}

// saved returns the file of an index of the first messages of a stream.
func saved(t *testing.T, s blocks.Stream, until uint64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "index")
	r := blocks.NewReader(s, path)
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

// A reader begins with the index in the file: it does not read the blocks before its end, which may be damaged.
func TestIndexIsKept(t *testing.T) {
	t.Parallel()
	s, want := store(t, 4000, 3000) // two blocks
	first, last := uint64(3000), uint64(len(want))
	path := saved(t, s, first)
	block := file(t, s, "msgs/1.blk")
	clear(block[:100])
	put(t, s, "msgs/1.blk", block)
	got, err := given(blocks.NewReader(s, path), first-1000, last, everything, len(want))
	if err != nil || !slices.Equal(want[first-1000:], got) {
		t.Errorf("%d messages, error %v", len(got), err)
	}
	if _, err := given(blocks.NewReader(s, ""), first-1000, last, everything, len(want)); !errors.Is(err, blocks.ErrUnreadable) {
		t.Errorf("without the file: error %v", err)
	}
}

// Whatever is in the file, the stored messages are read.
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
		got, err := given(blocks.NewReader(s, path), 0, 300, everything, len(want))
		if err != nil || !slices.Equal(want, got) {
			t.Fatalf("%s: %d messages, error %v", name, len(got), err)
		}
	}
}

// Whatever happens to the file during a read, the stored messages are read, each once.
func TestIndexChangesUnderItsReader(t *testing.T) {
	t.Parallel()
	s, want := store(t, 12_000, 10)
	other, _ := store(t, 500, 10)
	before, err := os.ReadFile(saved(t, s, 9000))
	if err != nil {
		t.Fatal(err)
	}
	changes := map[string]func(path string) error{
		"removed":   os.Remove,
		"cut":       func(path string) error { return os.Truncate(path, 20_000) },
		"emptied":   func(path string) error { return os.Truncate(path, 0) },
		"newer":     func(path string) error { return os.Rename(saved(t, s, 11_000), path) },
		"of others": func(path string) error { return os.Rename(saved(t, other, 500), path) },
		"directory": func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
	}
	for at := 0; at < len(before); at += 9000 {
		changes[fmt.Sprint("a bit of byte ", at)] = func(path string) error {
			b := slices.Clone(before)
			b[at] ^= 4
			return os.WriteFile(path, b, 0o600)
		}
	}
	for name, change := range changes {
		for _, when := range []int{0, 1, 5000} {
			path := filepath.Join(t.TempDir(), "index")
			if err := os.WriteFile(path, before, 0o600); err != nil {
				t.Fatal(err)
			}
			r := blocks.NewReader(s, path)
			if when == 0 { // between two readings
				_, err = given(r, 0, 300, []string{"journal.absent.>"}, 1)
				if err := errors.Join(err, change(path)); err != nil {
					t.Fatal(err)
				}
			}
			var got []message
			err := r.Read(t.Context(), 0, uint64(len(want)), everything, func(r record.Record) bool {
				if got = append(got, message{r.Seq, r.Subject, r.ID, string(r.Data)}); len(got) == when {
					if err := change(path); err != nil {
						t.Error(err)
					}
				}
				return true
			})
			if err != nil || !slices.Equal(want, got) {
				t.Fatalf("%s after %d: %d messages, error %v", name, when, len(got), err)
			}
			if err := r.Save(1); err != nil && name != "directory" {
				t.Errorf("%s: save: %v", name, err)
			}
		}
	}
}

// FuzzIndex reads with any content of an index file.
func FuzzIndex(f *testing.F) {
	s, _ := store(f, 300, 10)
	path := filepath.Join(f.TempDir(), "index")
	r := blocks.NewReader(s, path)
	if _, err := given(r, 0, 290, everything, 1); err != nil {
		f.Fatal(err)
	}
	if err := r.Save(1); err != nil {
		f.Fatal(err)
	}
	file, tail, err := blocks.OpenPaged(path, blocks.IndexKind)
	if err != nil {
		f.Fatal(err)
	}
	body := make([]byte, file.Len())
	if _, err := file.ReadAt(body, 0); err != nil {
		f.Fatal(err)
	}
	f.Add(body, tail)
	f.Add([]byte("journal index 2\n"), []byte("JOURNAL_1"))
	f.Fuzz(func(t *testing.T, body, tail []byte) {
		path := filepath.Join(t.TempDir(), "index")
		if err := blocks.WritePaged(path, blocks.IndexKind, func(w io.Writer) ([]byte, error) {
			_, err := w.Write(body)
			return tail, err
		}); err != nil {
			t.Fatal(err)
		}
		for _, filter := range []string{"journal.>", "journal.*.*.file.>", "journal.p.s.>"} {
			r := blocks.NewReader(s, path)
			n := 0
			err := r.Read(context.Background(), 0, 300, []string{filter}, func(record.Record) bool { n++; return true })
			if err != nil && !errors.Is(err, blocks.ErrUnreadable) || n > 300 {
				t.Errorf("%d messages, error %v", n, err)
			}
		}
	})
}
