package blocks_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"journal/journal/record"
)

// The writer makes the same blocks from messages as the server, except for times and checksums.
func TestWriterIsTheServer(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]int{"several blocks": 3 << 10, "long records": 700 << 10} {
		n := 20 << 20 / size
		s, all := store(t, n, size)
		before := map[string][]byte{}
		paths, err := filepath.Glob(filepath.Join(s.Dir, "msgs", "*.blk"))
		if err != nil || len(paths) < 3 {
			t.Fatalf("%s: %d blocks, error %v", name, len(paths), err)
		}
		for _, path := range paths {
			before[filepath.Base(path)] = file(t, s, "msgs/"+filepath.Base(path))
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
		w := s.NewWriter(time.Now())
		for _, m := range all {
			if err := w.Put(record.Record{Subject: m.Subject, ID: m.ID, Data: []byte(m.Data)}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if r, got := scan(t, s); !slices.Equal(got, all) || len(r.Damage) > 0 || r.Blocks != len(before) {
			t.Errorf("%s: %d of %d records, %+v", name, len(got), len(all), r)
		}
		for block, want := range before {
			if got := file(t, s, "msgs/"+block); !bytes.Equal(timeless(got), timeless(want)) {
				t.Errorf("%s: %s has %d bytes, that of the server %d, or others", name, block, len(got), len(want))
			}
		}
	}
}

// timeless returns the records of a block without their times and checksums.
func timeless(b []byte) []byte {
	b = bytes.Clone(b)
	for rest := b; len(rest) > 0; {
		n := binary.LittleEndian.Uint32(rest) &^ (1 << 31)
		clear(rest[12:20])
		clear(rest[n-8 : n])
		rest = rest[n:]
	}
	return b
}

// A record with only a subject, like that of a forgotten event, has no headers, and a compressed one has the header for that.
func TestWriterOfHeaders(t *testing.T) {
	t.Parallel()
	s, _ := store(t, 0, 0)
	packed := record.Record{Subject: "journal.p", ID: "one", Data: bytes.Repeat([]byte("again "), 200)}
	var err error
	if packed.Data, _, err = packed.Pack(); err != nil {
		t.Fatal(err)
	}
	w := s.NewWriter(time.Now())
	for _, r := range []record.Record{{Subject: record.Forgotten}, packed} {
		if err := w.Put(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if r, all := scan(t, s); len(all) != 2 || r.Bytes < 39 || all[0].ID != "" || all[1].ID != "one" {
		t.Errorf("%+v, %+v", r, all)
	}
	b := file(t, s, "msgs/1.blk")
	if n := binary.LittleEndian.Uint32(b); n != 39 {
		t.Errorf("the mark takes %d bytes", n)
	}
	if !bytes.Contains(b, []byte("NATS/1.0\r\nNats-Msg-Id: one\r\nContent-Encoding: zstd\r\n\r\n\x28\xb5\x2f\xfd")) {
		t.Error("the headers are others")
	}
}
