package archive_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"journal/embedded/store/archive"
	"journal/journal/record"
)

// noisy returns records whose frames have one length, and do not compress.
func noisy(n int) (all []record.Record) {
	noise := rand.New(rand.NewPCG(3, 4))
	for seq := range n {
		r := record.Record{Seq: uint64(seq + 1), Subject: "journal.p.s.x", ID: fmt.Sprintf("id-%d", seq+1), Data: make([]byte, 200)}
		for i := range r.Data {
			r.Data[i] = byte(noise.Uint32())
		}
		all = append(all, r)
	}
	return all
}

// framed returns an open segment of noisy records, as its header and its frames.
func framed(t *testing.T, n int) (name string, head []byte, frames [][]byte) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "archive")
	w := open(t, dir, archive.Options{})
	for _, r := range noisy(n) {
		if err := errors.Join(w.Append(r), w.Sync()); err != nil {
			t.Fatal(err)
		}
	}
	name = files(t, dir, ".open")[0]
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	length := 8 + 12 + len("journal.p.s.x") + len("id-1") + 200
	at := len(b) - n*length
	for i := range n {
		frames = append(frames, b[at+i*length:at+(i+1)*length])
	}
	return name, b[:at], frames
}

type hole struct {
	first, last uint64
	tail        bool
}

// holes returns the damaged sequences after a sequence.
func holes(all []archive.Damage, after uint64) (found []hole) {
	for _, d := range all {
		if d.Last > after {
			found = append(found, hole{d.First, d.Last, d.Tail})
		}
	}
	return found
}

// TestDamageIsExact: if records of an open segment are altered, cut out, or follow other bytes, exactly these are reported as damaged and
// all others are read, wherever reading begins. The writer continues after the last record before the damage.
func TestDamageIsExact(t *testing.T) {
	t.Parallel()
	const n = 5
	name, head, frames := framed(t, n)
	written := noisy(n + 1)
	for what, put := range map[string]func(b, frame []byte) []byte{
		"altered": func(b, frame []byte) []byte {
			b = append(b, frame...)
			b[len(b)-7] ^= 4
			return b
		},
		"cut out":   func(b, _ []byte) []byte { return b },
		"following": func(b, frame []byte) []byte { return append(append(b, strings.Repeat("\xee", 13)...), frame...) },
	} {
		for mask := range 1 << n {
			b := slices.Clone(head)
			var good []uint64
			var want []hole
			whole, run := uint64(n), uint64(0) // run: where the records began that are not there
			for i, frame := range frames {
				seq := uint64(i + 1)
				hurt := mask&(1<<i) != 0
				if hurt {
					b = put(b, frame)
					whole = min(whole, seq-1)
				} else {
					b = append(b, frame...)
				}
				switch {
				case hurt && what == "following":
					want, good = append(want, hole{seq, seq, false}), append(good, seq)
				case hurt && run == 0:
					run = seq
				case !hurt:
					if good = append(good, seq); run > 0 {
						want, run = append(want, hole{run, seq - 1, false}), 0
					}
				}
			}
			if run > 0 && what == "altered" { // nobody can say how many they were
				want = append(want, hole{run, run, true})
			}
			about := fmt.Sprintf("%s: %05b", what, mask)
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
				t.Fatal(err)
			}
			if r := check(t, dir); !slices.Equal(holes(r.Damage, 0), want) || r.Records != uint64(len(good)) || len(good) > 0 && (r.First != good[0] || r.Last != good[len(good)-1]) {
				t.Errorf("%s: check says %+v, want %v", about, r, want)
			}
			for after := range uint64(n + 1) {
				got, damage := read(t, dir, after)
				var seqs []uint64
				for _, r := range got {
					seqs = append(seqs, r.Seq)
					if string(r.Data) != string(written[r.Seq-1].Data) {
						t.Errorf("%s: #%d is another", about, r.Seq)
					}
				}
				left := slices.DeleteFunc(slices.Clone(good), func(seq uint64) bool { return seq <= after })
				if !slices.Equal(seqs, left) || !slices.Equal(holes(damage, 0), holes(damage, after)) || !slices.Equal(holes(damage, after), behind(want, after)) {
					t.Errorf("%s: after #%d %v and %v, want %v and %v", about, after, seqs, damage, left, want)
				}
			}
			w := open(t, dir, archive.Options{})
			if at := w.Last(); at != whole && !(what == "cut out" && at == uint64(len(good)) && len(want) == 0) {
				t.Errorf("%s: opened at #%d, want #%d", about, at, whole)
			}
			if d := w.Repaired(); len(want) > 0 && (d == nil || d.First != want[0].first) || len(want) == 0 && d != nil {
				t.Errorf("%s: repaired %v", about, d)
			}
			at := w.Last()
			behindIt := len(good) > 0 && good[len(good)-1] > at
			if aside := len(files(t, dir, ".damaged")); aside == 1 != behindIt {
				t.Errorf("%s: opened at #%d of %v, %d set aside", about, at, good, aside)
			}
			for _, r := range written[at:] {
				if err := w.Append(r); err != nil {
					t.Fatal(about, err)
				}
			}
			closed(t, w)
			if r := check(t, dir); len(r.Damage) > 0 || r.Records != n+1 {
				t.Errorf("%s: afterwards %+v", about, r)
			}
		}
	}
}

// behind returns the holes that are not before a sequence.
func behind(all []hole, after uint64) (found []hole) {
	for _, h := range all {
		if h.last > after {
			found = append(found, h)
		}
	}
	return found
}

// TestSealSaysOtherwise: a sealed segment whose name, seal or header contradicts its records is damage. The chain is right where it can be.
func TestSealSaysOtherwise(t *testing.T) {
	t.Parallel()
	const n = 5
	all := noisy(2 * n)
	without := func(seqs ...uint64) []record.Record {
		return slices.DeleteFunc(slices.Clone(all[:n]), func(r record.Record) bool { return slices.Contains(seqs, r.Seq) })
	}
	other := archive.Chain{1}
	for name, tc := range map[string]struct {
		file         [2]uint64
		first, last  uint64
		count        uint64
		records      []record.Record
		chain        archive.Chain
		want         []hole
		readAsWell   bool // reading finds it too
		chainUnknown bool
	}{
		"nothing":              {[2]uint64{1, n}, 1, n, n, without(), archive.Chain{}, nil, true, false},
		"one is missing":       {[2]uint64{1, n}, 1, n, n, without(3), archive.Chain{}, []hole{{3, 3, false}}, true, false},
		"the first is missing": {[2]uint64{1, n}, 1, n, n, without(1), archive.Chain{}, []hole{{1, 1, false}}, true, false},
		"the last are missing": {[2]uint64{1, n}, 1, n, n, without(4, 5), archive.Chain{}, []hole{{4, 5, false}}, true, false},
		"all are missing":      {[2]uint64{1, n}, 1, n, n, nil, archive.Chain{}, []hole{{1, n, false}}, true, false},
		"it counts otherwise":  {[2]uint64{1, n}, 1, n, n - 1, without(), archive.Chain{}, []hole{{1, n, false}}, true, false},
		"it ends elsewhere":    {[2]uint64{1, n}, 1, n + 1, n, without(), archive.Chain{}, []hole{{1, n, false}}, true, true},
		"its name ends later":  {[2]uint64{1, n + 1}, 1, n, n, without(), archive.Chain{}, []hole{{n + 1, n + 1, false}}, true, true},
		"it begins elsewhere":  {[2]uint64{1, n}, 2, n, n, without(), archive.Chain{}, []hole{{1, 1, false}}, true, false},
		"its chain is another": {[2]uint64{1, n}, 1, n, n, without(), other, []hole{{1, n, false}}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			chain, err := archive.Forge(dir, tc.file, tc.first, tc.last, tc.count, tc.records, archive.Chain{}, tc.chain)
			if err != nil {
				t.Fatal(err)
			}
			r := check(t, dir)
			if !slices.Equal(holes(r.Damage, 0), tc.want) || r.Open || r.Segments != 1 {
				t.Errorf("check says %+v, want %v", r, tc.want)
			}
			_, damage := read(t, dir, 0)
			if want := tc.want; tc.readAsWell && !slices.Equal(holes(damage, 0), want) || !tc.readAsWell && damage != nil {
				t.Errorf("reading says %v, want %v", damage, want)
			}
			// What follows is held against the chain that the seal tells.
			after := tc.file[1]
			following := all[after : 2*n]
			if _, err := archive.Forge(dir, [2]uint64{after + 1, 2 * n}, after+1, 2*n, 2*n-after, following, archive.Chain{9}, archive.Chain{}); err != nil {
				t.Fatal(err)
			}
			wrong := append(slices.Clone(tc.want), hole{after + 1, after + 1, false})
			if tc.chainUnknown {
				wrong = tc.want
			}
			if r := check(t, dir); !slices.Equal(holes(r.Damage, 0), wrong) {
				t.Errorf("before another chain: %+v, want %v", r.Damage, wrong)
			}
			if _, err := archive.Forge(dir, [2]uint64{after + 1, 2 * n}, after+1, 2*n, 2*n-after, following, chain, archive.Chain{}); err != nil {
				t.Fatal(err)
			}
			r = check(t, dir)
			if name == "its chain is another" {
				chain, tc.want = archive.Chain{}, append(tc.want, hole{after + 1, after + 1, false})
			}
			if !slices.Equal(holes(r.Damage, 0), tc.want) {
				t.Errorf("before its own chain: %+v, want %v", r.Damage, tc.want)
			}
		})
	}
}

// TestNotWhatWasWritten: sealing fails on a disk that returns other bytes than were written.
func TestNotWhatWasWritten(t *testing.T) {
	t.Parallel()
	for what, spoil := range map[string]func([]byte) []byte{
		"altered": func(b []byte) []byte { b[len(b)-3] ^= 1; return b },
		"cut":     func(b []byte) []byte { return b[:len(b)-40] },
	} {
		dir := filepath.Join(t.TempDir(), "archive")
		w := open(t, dir, archive.Options{})
		grow(t, w, 5)
		path := filepath.Join(dir, files(t, dir, ".open")[0])
		b, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, spoil(b), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		err = w.Close()
		if d, ok := errors.AsType[*archive.Damage](err); !ok || d.First != 1 || d.Last != 5 || d.Reason == "" || !strings.Contains(err.Error(), "#1 to #5") {
			t.Errorf("%s: %v", what, err)
		}
		if sealed := files(t, dir, ".zst"); sealed != nil {
			t.Errorf("%s: sealed %v", what, sealed)
		}
	}
}

// TestSealedWhileRead: records that are sealed during a reading are read once.
func TestSealedWhileRead(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "archive")
	w := open(t, dir, archive.Options{SegmentBytes: 600})
	grow(t, w, 40)
	next := uint64(1)
	for r, err := range archive.Read(context.Background(), dir, 0) {
		if err != nil || r.Seq != next {
			t.Fatalf("#%d, %v; want #%d", r.Seq, err, next)
		}
		if next++; next == 2 {
			closed(t, w)
		}
	}
	if next != 41 {
		t.Errorf("it ends before #%d", next)
	}
}

// TestEndlessFile: a file that is longer than any segment is damage, and is not read.
func TestEndlessFile(t *testing.T) {
	t.Parallel()
	dir := full(t, 40, true)
	name := files(t, dir, ".zst")[1]
	if err := os.Truncate(filepath.Join(dir, name), 3<<30); err != nil {
		t.Fatal(err)
	}
	got, damage := read(t, dir, 0)
	if len(damage) != 1 || damage[0].File != name || uint64(len(got))+damage[0].Last-damage[0].First+1 != 40 {
		t.Errorf("%d records and %v", len(got), damage)
	}
}

// TestAsideTwice: a file that is set aside does not replace an earlier one.
func TestAsideTwice(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a file that is open cannot be renamed")
	}
	dir := filepath.Join(t.TempDir(), "archive")
	for n := 1; n <= 3; n++ {
		w := open(t, dir, archive.Options{})
		if at := w.Last(); (w.Repaired() == nil) != (n == 1) || at != min(uint64(n-1), 1) {
			t.Fatalf("%d: opened at #%d, %v", n, at, w.Repaired())
		}
		for _, r := range noisy(4)[min(n-1, 1):] {
			if err := errors.Join(w.Append(r), w.Sync()); err != nil {
				t.Fatal(err)
			}
		}
		path := filepath.Join(dir, files(t, dir, ".open")[0])
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		b[len(b)-2*(8+12+len("journal.p.s.x")+len("id-1")+200)-5] ^= 1 // in the second
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	open(t, dir, archive.Options{})
	if aside := files(t, dir, ""); !slices.Equal(aside, []string{
		"0000000000000001.open", "0000000000000001.open.damaged", "0000000000000001.open.damaged.1", "0000000000000001.open.damaged.2",
	}) {
		t.Errorf("%q", aside)
	}
}

// TestSealedIsZstd: any zstd program decompresses a sealed segment: the seal is a skippable frame.
func TestSealedIsZstd(t *testing.T) {
	t.Parallel()
	dir := full(t, 40, true)
	dec, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dec.Close()
	held := 0
	for _, name := range files(t, dir, ".zst") {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		raw, err := dec.DecodeAll(b, nil)
		if err != nil || !bytes.HasPrefix(raw, []byte("jarchive")) {
			t.Errorf("%s: %.20q, %v", name, raw, err)
		}
		for seq := uint64(1); seq <= 40; seq++ {
			if r := sample(seq); bytes.Contains(raw, []byte(r.Subject+r.ID+string(r.Data))) {
				held++
			}
		}
	}
	if held < 40 {
		t.Errorf("%d of 40 records are in the files", held)
	}
}
