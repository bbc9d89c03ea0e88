package archive_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"

	"journal/embedded/store/archive"
	"journal/events"
	"journal/journal/record"
)

// apart holds the parts of a sealed segment, by docs/FORMAT.md.
type apart struct {
	raw               []byte
	before, chain     [32]byte
	salt, link        [32]byte
	version, headerOf uint32
}

// takeApart parses a sealed segment without the package.
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
	for rest := a.raw[56:]; len(rest) > 0; {
		body := rest[8 : 8+le.Uint32(rest)]
		a.chain = sha256.Sum256(append(a.chain[:], body...))
		rest = rest[8+len(body):]
	}
	if !bytes.Equal(seal[44:76], a.chain[:]) {
		t.Fatalf("%s: the chain is %x", path, a.chain)
	}
	n := int(le.Uint32(b[len(b)-108-4:]))
	frame := b[len(b)-108-n : len(b)-108]
	if le.Uint32(frame) != 0x184D2A5E || int(le.Uint32(frame[4:])) != n-8 || string(frame[8:16]) != "jarclink" {
		t.Fatalf("%s: the link's frame is %x", path, frame)
	}
	copy(a.salt[:], frame[16:])
	copy(a.link[:], frame[48:])
	return a
}

// bound parses all sealed segments of an archive, each of which has to begin with the link of the one before.
func bound(t *testing.T, dir string) (all []apart) {
	t.Helper()
	var link [32]byte
	for _, name := range files(t, dir, ".zst") {
		a := takeApart(t, filepath.Join(dir, name))
		if a.before != link {
			t.Fatalf("%s begins with %x, the link before is %x", name, a.before, link)
		}
		if a.salt != [32]byte{} && a.link != sha256.Sum256(append(a.chain[:], a.salt[:]...)) {
			t.Fatalf("%s: the link is not that of chain and salt", name)
		}
		link, all = a.link, append(all, a)
	}
	return all
}

// resealed returns a sealed archive whose last segment has another version.
func resealed(t *testing.T, version uint32) (dir, path string) {
	t.Helper()
	dir = full(t, 30, true)
	names := files(t, dir, ".zst")
	path = filepath.Join(dir, names[len(names)-1])
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	binary.LittleEndian.PutUint32(b[len(b)-92:], version)
	sum := sha256.Sum256(b[:len(b)-32])
	if err := os.WriteFile(path, append(b[:len(b)-32], sum[:]...), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir, path
}

// A sealed segment of another version is refused and not changed: its checksum and version are where they always were.
func TestOtherVersions(t *testing.T) {
	t.Parallel()
	if a := bound(t, full(t, 30, true)); a[0].version != 4 || a[0].headerOf != 4 {
		t.Errorf("a segment has version %d", a[0].version)
	}
	for version, want := range map[uint32]error{5: events.ErrNewer, 3: events.ErrUnreleased, 0: events.ErrUnreleased} {
		dir, path := resealed(t, version)
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := archive.Open(dir, archive.Options{}); !errors.Is(err, want) {
			t.Errorf("version %d: open: %v", version, err)
		}
		if _, err := archive.Check(t.Context(), dir); !errors.Is(err, want) {
			t.Errorf("version %d: check: %v", version, err)
		}
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, before) {
			t.Errorf("version %d: the file was touched: %v", version, err)
		}
	}
}

// without writes an archive from the segments of another one, with some records replaced.
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

// Only segments with a changed record are written again, also for the second time. They keep their links, and reveal nothing by which a guess
// at a removed record could be checked.
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
