package archive_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"journal/embedded/store/archive"
	"journal/journal/record"
)

// newer returns an open segment with a newer version in its header, whose checksum is at the same place in every version
// (docs/FORMAT.md).
func newer(b []byte) []byte {
	b = bytes.Clone(b)
	b[8]++
	binary.LittleEndian.PutUint32(b[52:], crc32.Checksum(b[:52], crc32.MakeTable(crc32.Castagnoli)))
	return b
}

// BenchmarkRead reads an archive of records of 600 bytes, and its bare files, in
// records per second.
func BenchmarkRead(b *testing.B) {
	const last = 100_000
	dir := filepath.Join(b.TempDir(), "archive")
	w := open(b, dir, archive.Options{})
	for seq := uint64(1); seq <= last; seq++ {
		data := bytes.Repeat([]byte("a journal of events "), 25)
		for i := range 100 {
			data = append(data, byte('a'+rand.IntN(26)*(i%2)))
		}
		if err := w.Append(record.Record{Seq: seq, Subject: fmt.Sprintf("journal.p.s.t%d", seq/50), ID: fmt.Sprintf("%036d", seq), Data: data}); err != nil {
			b.Fatal(err)
		}
	}
	closed(b, w)
	rate := func(b *testing.B) { b.ReportMetric(float64(last)*float64(b.N)/b.Elapsed().Seconds(), "records/s") }
	b.Run("records", func(b *testing.B) {
		for b.Loop() {
			for _, err := range archive.Read(context.Background(), dir, 0) {
				if err != nil {
					b.Fatal(err)
				}
			}
		}
		rate(b)
	})
	b.Run("check", func(b *testing.B) {
		for b.Loop() {
			if r := check(b, dir); len(r.Damage) > 0 {
				b.Fatal(r)
			}
		}
		rate(b)
	})
	b.Run("bare", func(b *testing.B) {
		for b.Loop() {
			for _, name := range files(b, dir, "") {
				f, err := os.Open(filepath.Join(dir, name))
				if err != nil {
					b.Fatal(err)
				}
				if _, err := io.Copy(io.Discard, f); err != nil {
					b.Fatal(err)
				}
				f.Close()
			}
		}
		rate(b)
	})
}
