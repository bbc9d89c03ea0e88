package archive_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"journal/embedded/store/archive"
	"journal/journal/record"
)

// apart is a sealed segment that was taken apart as docs/FORMAT.md says.
type apart struct {
	raw               []byte
	before, chain     [32]byte
	salt, link        [32]byte
	subjects          []string
	version, headerOf uint32
}

// takeApart knows nothing of the package.
func takeApart(t *testing.T, path string) (a apart) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	le := binary.LittleEndian
	seal, sum := b[len(b)-108:], sha256.Sum256(b[:len(b)-32])
	dec, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dec.Close()
	if a.raw, err = dec.DecodeAll(b, nil); err != nil {
		t.Fatal(err)
	}
	var first, last uint64
	if _, err := fmt.Sscanf(filepath.Base(path), "%016x-%016x.zst", &first, &last); err != nil {
		t.Fatal(err)
	}
	a.version, a.headerOf = le.Uint32(seal[16:]), le.Uint32(a.raw[8:])
	if !bytes.Equal(seal[76:], sum[:]) || le.Uint32(seal) != 0x184D2A5E || le.Uint32(seal[4:]) != 100 || string(seal[8:16]) != "jarcseal" ||
		le.Uint64(seal[20:]) != last || le.Uint64(seal[28:]) != last-first+1 || le.Uint64(seal[36:]) != uint64(len(a.raw)) {
		t.Fatalf("%s: the seal is %x", path, seal)
	}
	if string(a.raw[:8]) != "jarchive" || le.Uint64(a.raw[12:]) != first || le.Uint32(a.raw[52:]) != crc32.Checksum(a.raw[:52], crc32.MakeTable(crc32.Castagnoli)) {
		t.Fatalf("%s: the header is %x", path, a.raw[:56])
	}
	copy(a.before[:], a.raw[20:])
	a.chain = a.before
	var names []string
	for rest := a.raw[56:]; len(rest) > 0; {
		body := rest[8 : 8+le.Uint32(rest)]
		a.chain = sha256.Sum256(append(a.chain[:], body...))
		if name := string(body[12 : 12+le.Uint16(body[8:])]); !slices.Contains(names, name) {
			names = append(names, name)
		}
		rest = rest[8+len(body):]
	}
	if !bytes.Equal(seal[44:76], a.chain[:]) {
		t.Fatalf("%s: the chain is %x", path, a.chain)
	}
	if a.link = a.chain; a.version < 3 {
		return a
	}
	n := int(le.Uint32(b[len(b)-108-4:]))
	frame := b[len(b)-108-n : len(b)-108]
	if le.Uint32(frame) != 0x184D2A5E || int(le.Uint32(frame[4:])) != n-8 || string(frame[8:16]) != "jarclink" {
		t.Fatalf("%s: the link's frame is %x", path, frame)
	}
	copy(a.salt[:], frame[16:])
	copy(a.link[:], frame[48:])
	plain, err := dec.DecodeAll(frame[80:n-4], nil)
	if err != nil {
		t.Fatal(err)
	}
	for len(plain) > 0 {
		end := 2 + int(le.Uint16(plain))
		a.subjects, plain = append(a.subjects, string(plain[2:end])), plain[end:]
	}
	if !slices.Equal(a.subjects, names) {
		t.Fatalf("%s: its subjects are %q, and said to be %q", path, names, a.subjects)
	}
	return a
}

// bound takes all sealed segments of an archive apart, each of which has to begin with the link of the one before.
func bound(t *testing.T, dir string) (all []apart) {
	t.Helper()
	var link [32]byte
	for _, name := range files(t, dir, ".zst") {
		a := takeApart(t, filepath.Join(dir, name))
		if a.before != link {
			t.Fatalf("%s begins with %x, the link before is %x", name, a.before, link)
		}
		if a.version >= 3 && a.salt != [32]byte{} && a.link != sha256.Sum256(append(a.chain[:], a.salt[:]...)) {
			t.Fatalf("%s: the link is not that of chain and salt", name)
		}
		link, all = a.link, append(all, a)
	}
	return all
}

// kept gives a copy of an archive that an earlier program, or this one, once wrote: of thirty samples in four segments.
func kept(t *testing.T, version uint32) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "archive")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", fmt.Sprintf("version-%d", version)))); err != nil {
		t.Fatal(err)
	}
	return dir
}

// What was written once is read for ever, and goes on in the present version.
func TestVersions(t *testing.T) {
	t.Parallel()
	for _, version := range []uint32{2, 3} {
		dir := kept(t, version)
		for _, a := range bound(t, dir) {
			if a.version != version || a.headerOf != version {
				t.Errorf("version %d has a segment of version %d", version, a.version)
			}
		}
		var want []record.Record
		for seq := uint64(1); seq <= 30; seq++ {
			want = append(want, sample(seq))
		}
		if got, damage := read(t, dir, 0); len(damage) > 0 || !cmp.Equal(got, want) {
			t.Errorf("version %d: %d records, damage %v", version, len(got), damage)
		}
		if r := check(t, dir); len(r.Damage) > 0 || r.Records != 30 || r.Segments != 4 {
			t.Errorf("version %d: %+v", version, r)
		}
		w := open(t, dir, archive.Options{SegmentBytes: 600})
		grow(t, w, 50)
		closed(t, w)
		all := bound(t, dir)
		if r := check(t, dir); len(r.Damage) > 0 || r.Records != 50 || all[len(all)-1].version != 3 || all[0].version != version {
			t.Errorf("version %d goes on with %+v", version, r)
		}
	}
}

// A program refuses a sealed segment of a later version, whose checksum and version are where they always were, and leaves it.
func TestNewerSeal(t *testing.T) {
	t.Parallel()
	dir := kept(t, 3)
	path := filepath.Join(dir, files(t, dir, ".zst")[3])
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)-92]++
	sum := sha256.Sum256(b[:len(b)-32])
	if err := os.WriteFile(path, append(b[:len(b)-32], sum[:]...), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := archive.Open(dir, archive.Options{}); !errors.Is(err, archive.ErrNewer) {
		t.Errorf("open: %v", err)
	}
	if _, err := archive.Check(context.Background(), dir); !errors.Is(err, archive.ErrNewer) {
		t.Errorf("check: %v", err)
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, b) {
		t.Errorf("the file was touched: %v", err)
	}
}

// without makes an archive of the segments of another one in which some records were replaced.
func without(t *testing.T, whole string, last uint64, gone ...uint64) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "made")
	w := open(t, dir, archive.Options{SegmentBytes: 600, AtOnce: true})
	from, err := archive.SegmentsIn(whole)
	if err != nil {
		t.Fatal(err)
	}
	for w.Last() < last {
		taken, err := w.Take(from, func(first, last uint64) bool {
			return !slices.ContainsFunc(gone, func(seq uint64) bool { return first <= seq && seq <= last })
		})
		for until := min(from.Until(w.Last()+1), last); err == nil && !taken && w.Last() < until; {
			r := sample(w.Last() + 1)
			if slices.Contains(gone, r.Seq) {
				r = record.Record{Seq: r.Seq, Subject: "journal.forgotten"}
			}
			err = w.Append(r)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	closed(t, w)
	if r := check(t, dir); len(r.Damage) > 0 || r.Records != last {
		t.Fatalf("without %v: %+v", gone, r)
	}
	return dir
}

// Only segments with a changed record are written again, also those that were before; they keep their links, and nothing
// that tells whether a guess at what was removed is right.
func TestOnlyWhatChangesIsWritten(t *testing.T) {
	t.Parallel()
	const last = 200
	dir := full(t, last, true)
	names := files(t, dir, ".zst")
	for _, gone := range [][]uint64{{30}, {30, 31}, {30, 31, 100, 140}, {1, 30, 31, 100, 140, last}} {
		whole := dir
		dir = without(t, whole, last, gone...)
		before, after := bound(t, whole), bound(t, dir)
		if got := files(t, dir, ".zst"); !slices.Equal(got, names) {
			t.Fatalf("without %v: %v, want %v", gone, got, names)
		}
		untouched := same(t, whole, dir)
		for i, name := range names {
			var from, to uint64
			if _, err := fmt.Sscanf(name, "%016x-%016x.zst", &from, &to); err != nil {
				t.Fatal(err)
			}
			touched := slices.ContainsFunc(gone, func(seq uint64) bool { return from <= seq && seq <= to })
			if !touched && !slices.Contains(untouched, name) {
				t.Errorf("without %v: %s is another file", gone, name)
			}
			if touched && (after[i].link != before[i].link || after[i].salt != [32]byte{}) {
				t.Errorf("without %v: %s has salt %x and link %x", gone, name, after[i].salt, after[i].link)
			}
		}
	}
}

// A segment of version 2 begins with a hash of all records before, so that what was removed could be guessed: those behind a
// change are bound again, by a link that tells nothing, and without being compressed again.
func TestVersion2IsBoundAgain(t *testing.T) {
	t.Parallel()
	whole := kept(t, 2)
	dir := without(t, whole, 30, 12)
	before, after := bound(t, whole), bound(t, dir)
	if got := same(t, whole, dir); !slices.Equal(got, files(t, whole, ".zst")[:1]) || len(after) != 4 {
		t.Errorf("the same files: %v of %d", got, len(after))
	}
	for i, a := range after[1:] {
		if a.version != 3 || a.salt == [32]byte{} || len(a.subjects) == 0 {
			t.Errorf("segment %d has version %d, salt %x", i+2, a.version, a.salt)
		}
		for _, name := range files(t, dir, ".zst") {
			b, err := os.ReadFile(filepath.Join(dir, name))
			is := takeApart(t, filepath.Join(dir, name))
			if old := before[i+1].chain; err != nil || bytes.Contains(b, old[:]) || bytes.Contains(is.raw, old[:]) {
				t.Errorf("%s holds the chain of what segment %d was, or cannot be read: %v", name, i+2, err)
			}
		}
	}
}

// Whose subjects are not allowed is not taken, in any version.
func TestTakenBySubjects(t *testing.T) {
	t.Parallel()
	for _, version := range []uint32{2, 3} {
		from, err := archive.SegmentsIn(kept(t, version))
		if err != nil {
			t.Fatal(err)
		}
		w := open(t, filepath.Join(t.TempDir(), "made"), archive.Options{AtOnce: true})
		all := func(uint64, uint64) bool { return true }
		from.Spares = func(subject string) bool { return subject != sample(2).Subject }
		if taken, err := w.Take(from, all); taken || err != nil {
			t.Errorf("version %d: taken: %v, %v", version, taken, err)
		}
		from.Spares = func(subject string) bool { return subject != "journal.p.another.command.ran" }
		if taken, err := w.Take(from, all); !taken || err != nil || w.Last() != 9 {
			t.Errorf("version %d: taken: %v up to #%d, %v", version, taken, w.Last(), err)
		}
	}
}
