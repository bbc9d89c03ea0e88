package archive_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"journal/embedded/store/archive"
	"journal/events"
)

// FuzzSegment: for any bytes of a segment, reading ends and returns records in order, and Check and Open agree with it.
func FuzzSegment(f *testing.F) {
	dir := full(f, 40, false)
	for _, name := range files(f, dir, "") {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b, filepath.Ext(name) == ".open")
		f.Add(b[:len(b)/2], filepath.Ext(name) == ".open")
	}
	f.Add([]byte{}, true)
	// A zstd frame of one block that repeats a byte to far more than was written.
	f.Add([]byte{0x28, 0xB5, 0x2F, 0xFD, 0xA0, 0xFF, 0xFF, 0xFF, 0x7F, 0x03, 0xFF, 0xFF, 'a'}, false)
	f.Fuzz(func(t *testing.T, b []byte, isOpen bool) {
		dir := t.TempDir()
		name := "0000000000000001-0000000000000008.zst"
		if isOpen {
			name = "0000000000000001.open"
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
		next, records, damaged := uint64(1), uint64(0), false
		for r, err := range archive.Read(context.Background(), dir, 0) {
			if _, ok := errors.AsType[*archive.Damage](err); ok {
				damaged = true
				continue
			}
			if errors.Is(err, events.ErrNewer) || errors.Is(err, events.ErrUnreleased) {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if r.Seq < next {
				t.Fatalf("#%d after #%d", r.Seq, next-1)
			}
			if r.Seq > next && !damaged {
				t.Fatalf("#%d instead of #%d, without a word", r.Seq, next)
			}
			next, records = r.Seq+1, records+1
		}
		if rep := check(t, dir); rep.Records != records || damaged && len(rep.Damage) == 0 {
			t.Fatalf("%d records read, damaged %v; %+v", records, damaged, rep)
		}
		w, err := archive.Open(dir, archive.Options{})
		if _, ok := errors.AsType[*archive.Damage](err); ok && !isOpen {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		seq := w.Last()
		if seq > records {
			t.Fatalf("opened at #%d with %d records", seq, records)
		}
		grow(t, w, seq+1)
		closed(t, w)
		if rep := check(t, dir); len(rep.Damage) > 0 || rep.Last != seq+1 {
			t.Fatalf("%+v", rep)
		}
	})
}

// TestNewer: a segment of a newer format has an error of its own, and stays.
func TestNewer(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "archive")
	grow(t, open(t, dir, archive.Options{}), 3)
	path := filepath.Join(dir, files(t, dir, ".open")[0])
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b = newer(b)
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := archive.Open(dir, archive.Options{}); !errors.Is(err, events.ErrNewer) || errors.Is(err, events.ErrUnreleased) {
		t.Errorf("open: %v", err)
	}
	if _, err := archive.Check(context.Background(), dir); !errors.Is(err, events.ErrNewer) || errors.Is(err, events.ErrUnreleased) {
		t.Errorf("check: %v", err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != string(b) {
		t.Errorf("the file was touched: %v", err)
	}
}
