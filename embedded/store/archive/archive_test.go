package archive_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"journal/embedded/store/archive"
	"journal/journal/record"
)

func sample(seq uint64) record.Record {
	return record.Record{
		Seq: seq, Subject: fmt.Sprintf("journal.p.s%d.command.ran", seq%3), ID: fmt.Sprintf("id-%d", seq),
		Data: bytes.Repeat([]byte{byte(seq), 'x'}, int(seq%7)*3),
	}
}

func open(t testing.TB, dir string, o archive.Options) *archive.Writer {
	t.Helper()
	w, err := archive.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() }) // Windows removes no file that is open
	return w
}

// grow appends samples up to a sequence and syncs.
func grow(t testing.TB, w *archive.Writer, last uint64) {
	t.Helper()
	at := w.Last()
	for seq := at + 1; seq <= last; seq++ {
		if err := w.Append(sample(seq)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Sync(); err != nil {
		t.Fatal(err)
	}
}

func closed(t testing.TB, w *archive.Writer) {
	t.Helper()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// full returns a directory with several sealed segments and, on demand, an open one.
func full(t testing.TB, last uint64, sealed bool) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "archive")
	w := open(t, dir, archive.Options{SegmentBytes: 600})
	grow(t, w, last)
	if sealed {
		closed(t, w)
	}
	return dir
}

func read(t testing.TB, dir string, after uint64) (all []record.Record, damage []archive.Damage) {
	t.Helper()
	for r, err := range archive.Read(context.Background(), dir, after) {
		if d, ok := errors.AsType[*archive.Damage](err); ok {
			damage = append(damage, *d)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		r.Data = slices.Clone(r.Data)
		if len(r.Data) == 0 {
			r.Data = []byte{}
		}
		all = append(all, r)
	}
	return all, damage
}

func check(t testing.TB, dir string) archive.Summary {
	t.Helper()
	r, err := archive.Check(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func files(t testing.TB, dir, suffix string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), suffix) {
			names = append(names, e.Name())
		}
	}
	return names
}

// TestRoundTrip: records are read as they were appended, with one chain, however often the archive was closed and opened (ADR-0012).
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "archive")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		o := archive.Options{SegmentBytes: rapid.Int64Range(1, 900).Draw(t, "segment")}
		var want []record.Record
		var chain archive.Chain
		for range rapid.IntRange(1, 4).Draw(t, "lives") {
			w, err := archive.Open(dir, o)
			if err != nil {
				t.Fatal(err)
			}
			if seq := w.Last(); seq != uint64(len(want)) || w.Chain() != chain || w.Repaired() != nil {
				t.Fatalf("opened at #%d, want #%d; chain %v, want %v; %v", seq, len(want), w.Chain(), chain, w.Repaired())
			}
			for range rapid.IntRange(0, 20).Draw(t, "records") {
				r := record.Record{
					Seq: uint64(len(want)) + 1, Subject: rapid.StringN(0, 20, 60).Draw(t, "subject"),
					ID: rapid.StringN(0, 10, 40).Draw(t, "id"), Data: rapid.SliceOfN(rapid.Byte(), 0, 80).Draw(t, "data"),
				}
				if err := w.Append(r); err != nil {
					t.Fatal(err)
				}
				want = append(want, r)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			chain = w.Chain()
		}
		after := rapid.IntRange(0, len(want)).Draw(t, "after")
		got := 0
		for r, err := range archive.Read(context.Background(), dir, uint64(after)) {
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want[after+got], r); diff != "" {
				t.Fatal(diff)
			}
			got++
		}
		if got != len(want)-after {
			t.Fatalf("%d records after #%d of %d", got, after, len(want))
		}
		rep, err := archive.Check(context.Background(), dir)
		if err != nil || len(rep.Damage) > 0 || rep.Open || rep.Chain != chain || rep.Records != uint64(len(want)) || rep.Last != uint64(len(want)) {
			t.Fatalf("%+v, %v", rep, err)
		}
		if last, err := archive.Last(context.Background(), dir); err != nil || last != uint64(len(want)) {
			t.Fatalf("last #%d, %v", last, err)
		}
	})
}

func TestOrder(t *testing.T) {
	t.Parallel()
	w := open(t, filepath.Join(t.TempDir(), "a"), archive.Options{})
	grow(t, w, 3)
	for _, seq := range []uint64{0, 3, 5} {
		if err := w.Append(sample(seq)); !errors.Is(err, archive.ErrOrder) {
			t.Errorf("#%d after #3: %v", seq, err)
		}
	}
	if err := w.Append(record.Record{Seq: 4, Data: make([]byte, 17<<20)}); !errors.Is(err, archive.ErrTooLarge) {
		t.Errorf("17 MiB: %v", err)
	}
	grow(t, w, 5)
	closed(t, w)
	if err := w.Append(sample(6)); !errors.Is(err, os.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// TestReadWhileOpen: a reader sees the records of the last Sync before the segment is sealed (ADR-0012 rule 8).
func TestReadWhileOpen(t *testing.T) {
	t.Parallel()
	dir := full(t, 40, false)
	got, damage := read(t, dir, 0)
	if len(got) != 40 || damage != nil {
		t.Errorf("%d records, %v", len(got), damage)
	}
	if r := check(t, dir); len(r.Damage) > 0 || !r.Open || r.Segments < 3 {
		t.Errorf("%+v", r)
	}
}

// TestModes: only the user can read the archive (ADR-0030 rule 1).
func TestModes(t *testing.T) {
	t.Parallel()
	if os.PathSeparator != '/' {
		t.Skip("modes are Unix's")
	}
	dir := full(t, 30, false)
	if fi, err := os.Stat(dir); err != nil || fi.Mode().Perm() != 0o700 {
		t.Errorf("directory: %v, %v", fi.Mode(), err)
	}
	for _, name := range files(t, dir, "") {
		if fi, err := os.Stat(filepath.Join(dir, name)); err != nil || fi.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, fi.Mode(), err)
		}
	}
}

// TestManyStops: an owner that stops after every few events leaves a directory
// that can be listed.
func TestManyStops(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "archive")
	for last := uint64(2); last <= 100; last += 2 {
		w := open(t, dir, archive.Options{SegmentBytes: 1500})
		grow(t, w, last)
		closed(t, w)
	}
	if n := len(files(t, dir, "")); n > 12 {
		t.Errorf("%d files for 100 records", n)
	}
	if r := check(t, dir); len(r.Damage) > 0 || r.Records != 100 {
		t.Errorf("%+v", r)
	}
}
