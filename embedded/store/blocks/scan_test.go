package blocks_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"journal/cmd/testkit/testutil"
	"journal/embedded"
	"journal/embedded/store/blocks"
	"journal/journal/record"
)

var update = flag.Bool("update", false, "write the store of the server's version to testdata")

// message is a message that a test stores and reads.
type message struct {
	Seq         uint64
	Subject, ID string
	Data        string
}

func subjectOf(i int) string {
	if i%11 == 0 {
		return fmt.Sprintf("journal.q.s%d.prompt", i%3)
	}
	return fmt.Sprintf("journal.p.s%d.turn.ended", i%7)
}

// store writes n messages of a size with the real server, and returns the stream.
func store(t testing.TB, n, size int) (blocks.Stream, []message) {
	t.Helper()
	return storeOf(t, n, size, jetstream.NoCompression, nil)
}

// storeOf is store with a compression of the stream, and with a change of it before the server stops.
func storeOf(t testing.TB, n, size int, c jetstream.StoreCompression, change func(jetstream.Stream) error) (blocks.Stream, []message) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "store")
	s, err := embedded.Scratch(context.Background(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	js, err := jetstream.New(s.Conn())
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.CreateStream(context.Background(), jetstream.StreamConfig{Name: "JOURNAL_1", Subjects: []string{"journal.>"}, Storage: jetstream.FileStorage, Compression: c})
	if err != nil {
		t.Fatal(err)
	}
	var all []message
	for i := range n {
		m := message{Seq: uint64(i + 1), Subject: subjectOf(i), ID: fmt.Sprintf("id-%06d", i), Data: strings.Repeat(fmt.Sprintf("%d한\r\n", i), size/8+1)}
		msg := nats.NewMsg(m.Subject)
		msg.Data = []byte(m.Data)
		msg.Header.Set(nats.MsgIdHdr, m.ID)
		if _, err := js.PublishMsgAsync(msg, jetstream.WithStallWait(time.Minute)); err != nil {
			t.Fatal(err)
		}
		all = append(all, m)
	}
	<-js.PublishAsyncComplete()
	if change != nil {
		if err := change(stream); err != nil {
			t.Fatal(err)
		}
	}
	testutil.Eventually(t, "the server has removed what it purged", func() bool { // it does so beside its work
		purged, err := filepath.Glob(filepath.Join(dir, "jetstream", "*", "streams", "*", "__msgs__"))
		return err == nil && len(purged) == 0
	})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	streams, err := blocks.Streams(dir)
	if err != nil || len(streams) != 1 || streams[0].Name != "JOURNAL_1" {
		t.Fatalf("streams %v, error %v", streams, err)
	}
	return streams[0], all
}

// scan reads a stream whole.
func scan(t testing.TB, s blocks.Stream) (blocks.Summary, []message) {
	t.Helper()
	var all []message
	report, err := blocks.Scan(t.Context(), s, nil, func(r record.Record) error {
		all = append(all, message{r.Seq, r.Subject, r.ID, string(r.Data)})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return report, all
}

// copyOf returns a copy of a stream that a test may damage.
func copyOf(t testing.TB, s blocks.Stream) blocks.Stream {
	t.Helper()
	to := filepath.Join(t.TempDir(), "streams", s.Name)
	if err := os.CopyFS(to, os.DirFS(s.Dir)); err != nil {
		t.Fatal(err)
	}
	return blocks.Stream{Name: s.Name, Dir: to}
}

// file reads a file of a stream, and put writes one.
func file(t testing.TB, s blocks.Stream, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(s.Dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func put(t testing.TB, s blocks.Stream, name string, b []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(s.Dir, name), b, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestScan(t *testing.T) {
	t.Parallel()
	s, want := store(t, 5000, 4000) // three blocks
	report, got := scan(t, s)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("records (-stored +read):\n%.2000s", diff)
	}
	if len(report.Damage) > 0 || report.Unknown != "" || report.Torn != 0 || report.First != 1 || report.Last != 5000 || report.Records != 5000 || report.Blocks < 3 {
		t.Errorf("report %+v", report)
	}
	var last, all int64
	if _, err := blocks.Scan(t.Context(), s, func(done, total int64) { last, all = done, total }, nil); err != nil {
		t.Fatal(err)
	}
	if last != all || all == 0 {
		t.Errorf("progress ends at %d of %d", last, all)
	}
}

// Every damage of docs/ENGINE.md §2 is found with its sequences, and the good records are read.
func TestDamage(t *testing.T) {
	t.Parallel()
	whole, _ := store(t, 5000, 4000)
	first, _ := scan(t, whole)
	// The first and last sequences of the second block, of three.
	var bounds []uint64
	for _, name := range []string{"1.blk", "2.blk", "3.blk"} {
		alone := copyOf(t, whole)
		for _, other := range []string{"1.blk", "2.blk", "3.blk", "4.blk"} {
			if other != name {
				_ = os.Remove(filepath.Join(alone.Dir, "msgs", other))
			}
		}
		r, _ := scan(t, alone)
		bounds = append(bounds, r.First, r.Last)
	}
	from, to := bounds[2], bounds[3]
	const middle = "msgs/2.blk"
	record := func(s blocks.Stream, n int) (at, length int) { // the n-th of the second block
		b := file(t, s, middle)
		for range n {
			at += int(uint32(b[at])|uint32(b[at+1])<<8|uint32(b[at+2])<<16|uint32(b[at+3])<<24) & 0x7fffffff
		}
		return at, int(uint32(b[at])|uint32(b[at+1])<<8|uint32(b[at+2])<<16|uint32(b[at+3])<<24) & 0x7fffffff
	}
	flip := func(offset func(at, length int) int) func(t *testing.T, s blocks.Stream) {
		return func(t *testing.T, s blocks.Stream) {
			b := file(t, s, middle)
			at, length := record(s, 10)
			b[offset(at, length)] ^= 0x10
			put(t, s, middle, b)
		}
	}
	for name, tc := range map[string]struct {
		damage      func(t *testing.T, s blocks.Stream)
		first, last uint64 // sequences that are lost, 0 for none
		file        string // that is named
	}{
		"a byte of a message":     {flip(func(at, n int) int { return at + n/2 }), from + 10, from + 10, middle},
		"the length of a record":  {flip(func(at, _ int) int { return at + 1 }), from + 10, from + 10, middle},
		"the sequence":            {flip(func(at, _ int) int { return at + 5 }), from + 10, from + 10, middle},
		"the time":                {flip(func(at, _ int) int { return at + 13 }), from + 10, from + 10, middle},
		"the length of a subject": {flip(func(at, _ int) int { return at + 20 }), from + 10, from + 10, middle},
		"the checksum":            {flip(func(at, n int) int { return at + n - 1 }), from + 10, from + 10, middle},
		"a page of zeros": {func(t *testing.T, s blocks.Stream) {
			b := file(t, s, middle)
			at, n := record(s, 10)
			clear(b[at+n/2 : at+n/2+4096])
			put(t, s, middle, b)
		}, from + 10, from + 11, middle},
		"the first record of a block": {func(t *testing.T, s blocks.Stream) {
			b := file(t, s, middle)
			b[40] ^= 1
			put(t, s, middle, b)
		}, from, from, middle},
		"a block cut short": {func(t *testing.T, s blocks.Stream) {
			at, n := record(s, 10)
			put(t, s, middle, file(t, s, middle)[:at+n/2])
		}, from + 10, to, ""},
		"an empty block": {func(t *testing.T, s blocks.Stream) { put(t, s, middle, nil) }, from, to, ""},
		"a block that is gone": {func(t *testing.T, s blocks.Stream) {
			if err := os.Remove(filepath.Join(s.Dir, middle)); err != nil {
				t.Fatal(err)
			}
		}, from, to, ""},
		"the first block is gone": {func(t *testing.T, s blocks.Stream) {
			if err := os.Remove(filepath.Join(s.Dir, "msgs", "1.blk")); err != nil {
				t.Fatal(err)
			}
		}, 1, from - 1, ""},
		"a directory in a block's place": {func(t *testing.T, s blocks.Stream) {
			path := filepath.Join(s.Dir, middle)
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}, from, to, middle},
		"two blocks in each other's place": {func(t *testing.T, s blocks.Stream) {
			one, two := file(t, s, "msgs/1.blk"), file(t, s, middle)
			put(t, s, "msgs/1.blk", two)
			put(t, s, middle, one)
		}, 1, to, "msgs/1.blk"},
		"no description":      {func(t *testing.T, s blocks.Stream) { _ = os.Remove(filepath.Join(s.Dir, "meta.inf")) }, 0, 0, "meta.inf"},
		"no digest of it":     {func(t *testing.T, s blocks.Stream) { _ = os.Remove(filepath.Join(s.Dir, "meta.sum")) }, 0, 0, "meta.sum"},
		"another description": {func(t *testing.T, s blocks.Stream) { put(t, s, "meta.inf", []byte(`{"name":"JOURNAL_1"}`)) }, 0, 0, "meta.inf"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := copyOf(t, whole)
			tc.damage(t, s)
			report, got := scan(t, s)
			if len(report.Damage) == 0 || report.Unknown != "" {
				t.Fatalf("not found: %+v", report)
			}
			lost := map[uint64]bool{}
			named := tc.file == ""
			for _, d := range report.Damage {
				named = named || d.File == tc.file
				for seq := d.First; seq <= d.Last && seq > 0; seq++ {
					lost[seq] = true
				}
			}
			if !named {
				t.Errorf("%s is not named: %v", tc.file, report.Damage)
			}
			for _, m := range got {
				if lost[m.Seq] {
					t.Fatalf("#%d is lost and read", m.Seq)
				}
				lost[m.Seq] = true
			}
			if want := first.Last; uint64(len(lost)) != want {
				t.Errorf("%d sequences are read or named, want %d", len(lost), want)
			}
			if missing := first.Last - uint64(len(got)); tc.first != 0 && missing != tc.last-tc.first+1 || tc.first == 0 && missing != 0 {
				t.Errorf("%d are lost, want #%d to #%d", missing, tc.first, tc.last)
			}
		})
	}
}

// The bytes of an interrupted write behind the newest record are no damage: the head file shows whether it was acknowledged. A record of full
// length with a wrong checksum may have been acknowledged.
func TestTail(t *testing.T) {
	t.Parallel()
	whole, want := store(t, 20, 100)
	b := file(t, whole, "msgs/1.blk")
	at := 0
	var starts []int
	for at < len(b) {
		starts = append(starts, at)
		at += int(uint32(b[at])|uint32(b[at+1])<<8|uint32(b[at+2])<<16|uint32(b[at+3])<<24) & 0x7fffffff
	}
	newest := starts[len(starts)-1]
	s := copyOf(t, whole)
	for cut := newest; cut < len(b); cut++ {
		put(t, s, "msgs/1.blk", b[:cut])
		r, got := scan(t, s)
		if len(r.Damage) > 0 || r.Torn != int64(cut-newest) || len(got) != len(want)-1 {
			t.Fatalf("cut at %d of %d: %+v, %d records", cut, len(b), r, len(got))
		}
	}
	put(t, s, "msgs/1.blk", slices.Concat(b, make([]byte, 4096)))
	if r, got := scan(t, s); len(r.Damage) > 0 || r.Torn != 4096 || len(got) != len(want) {
		t.Errorf("with zeros behind it: %+v", r)
	}
	bad := slices.Clone(b)
	bad[len(bad)-1] ^= 1
	put(t, s, "msgs/1.blk", bad)
	if r, _ := scan(t, s); len(r.Damage) != 1 || r.Damage[0].First != uint64(len(want)) {
		t.Errorf("the newest record damaged: %+v", r)
	}
}

// A change of any byte of a block is found, unless no record that is read differs.
func TestEveryByte(t *testing.T) {
	t.Parallel()
	whole, want := store(t, 40, 60)
	b := file(t, whole, "msgs/1.blk")
	s := copyOf(t, whole)
	f, err := os.OpenFile(filepath.Join(s.Dir, "msgs/1.blk"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	// In place, because writing a new file would wait for the disk.
	put := func(at int, b byte) {
		if _, err := f.WriteAt([]byte{b}, int64(at)); err != nil {
			t.Fatal(err)
		}
	}
	for i, was := range b {
		put(i, was^1<<(i%8))
		r, got := scan(t, s)
		put(i, was)
		if len(r.Damage) == 0 && r.Torn == 0 && r.Unknown == "" {
			t.Errorf("byte %d of %d changed, and nobody noticed", i, len(b))
		}
		for _, m := range got {
			if m != want[m.Seq-1] {
				t.Fatalf("byte %d changed: #%d is read as %+v", i, m.Seq, m)
			}
		}
	}
}

// Formats that this program does not know are never called damaged (ADR-0012 rule 6).
func TestUnknown(t *testing.T) {
	t.Parallel()
	whole, _ := store(t, 20, 100)
	for name, change := range map[string]func(s blocks.Stream){
		"a key of the stream": func(s blocks.Stream) { put(t, s, "meta.key", []byte("x")) },
		"a key of a block":    func(s blocks.Stream) { put(t, s, "msgs/1.key", []byte("x")) },
		"a compressed block":  func(s blocks.Stream) { put(t, s, "msgs/1.blk", []byte("cmp\x01\x80\x10rest of it")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := copyOf(t, whole)
			change(s)
			if r, _ := scan(t, s); r.Unknown == "" || len(r.Damage) > 0 {
				t.Errorf("report %+v", r)
			}
		})
	}
}

// A stream that the server itself compresses is unknown as a whole.
func TestCompressed(t *testing.T) {
	t.Parallel()
	s, _ := storeOf(t, 3000, 4000, jetstream.S2Compression, nil)
	if r, got := scan(t, s); r.Unknown == "" || len(r.Damage) > 0 || len(got) > 0 {
		t.Errorf("%d records and the report %+v", len(got), r)
	}
}

// Nobody can delete from our streams (ADR-0030 rule 3), so messages that the server has marked as deleted are damage, in each of its forms.
func TestDeleted(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(jetstream.Stream) error{
		"deleted":           func(st jetstream.Stream) error { return st.DeleteMsg(t.Context(), 7) },
		"overwritten":       func(st jetstream.Stream) error { return st.SecureDeleteMsg(t.Context(), 7) },
		"the newest":        func(st jetstream.Stream) error { return st.DeleteMsg(t.Context(), 20) },
		"purged to a place": func(st jetstream.Stream) error { return st.Purge(t.Context(), jetstream.WithPurgeSequence(8)) },
		"purged":            func(st jetstream.Stream) error { return st.Purge(t.Context()) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, want := storeOf(t, 20, 100, jetstream.NoCompression, change)
			r, got := scan(t, s)
			if len(r.Damage) == 0 || r.Unknown != "" {
				t.Errorf("report %+v", r)
			}
			for _, m := range got {
				if m != want[m.Seq-1] {
					t.Errorf("#%d is read as %+v", m.Seq, m)
				}
			}
		})
	}
}

func TestStreams(t *testing.T) {
	t.Parallel()
	if all, err := blocks.Streams(filepath.Join(t.TempDir(), "none")); err != nil || len(all) != 0 {
		t.Errorf("no store gives %v, error %v", all, err)
	}
	odd := filepath.Join(t.TempDir(), "a[b]")
	if err := os.MkdirAll(filepath.Join(odd, "jetstream", "$G", "streams", "X"), 0o700); err != nil {
		t.Fatal(err)
	}
	if all, err := blocks.Streams(odd); err != nil || len(all) != 1 {
		t.Errorf("a store in %s gives %v, error %v", odd, all, err)
	}
}

// The format of the server: a new version has to be examined before it is trusted with a store.
func TestCheckedServer(t *testing.T) {
	t.Parallel()
	golden := filepath.Join("testdata", "stores", server.VERSION)
	if *update {
		s, _ := store(t, 12, 40)
		for _, name := range []string{"meta.inf", "meta.sum", "msgs/1.blk"} {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(golden, "JOURNAL_1", name)), 0o700); err != nil {
				t.Fatal(err)
			}
			put(t, blocks.Stream{Dir: filepath.Join(golden, "JOURNAL_1")}, name, file(t, s, name))
		}
	}
	if _, err := os.Stat(golden); err != nil {
		t.Errorf("no store of nats-server %s was checked: read what changed in its filestore.go, then run this test with -update", server.VERSION)
	}
	r, got := scan(t, blocks.Stream{Name: "JOURNAL_1", Dir: filepath.Join(golden, "JOURNAL_1")})
	if len(r.Damage) > 0 || r.Unknown != "" || len(got) != 12 || got[11].ID != "id-000011" {
		t.Errorf("the store of %s: %+v, %d records", server.VERSION, r, len(got))
	}
}

func FuzzScan(f *testing.F) {
	s, _ := store(f, 3, 20)
	b := file(f, s, "msgs/1.blk")
	f.Add(b)
	f.Add(b[:len(b)-3])
	f.Add(bytes.Repeat([]byte{0xff}, 100))
	f.Add([]byte("cmp\x01"))
	c := copyOf(f, s) // each process of the fuzzer has one of its own
	f.Fuzz(func(t *testing.T, content []byte) {
		put(t, c, "msgs/1.blk", content)
		r, got := scan(t, c)
		if uint64(len(got)) != r.Records {
			t.Errorf("%d records are given, %d counted", len(got), r.Records)
		}
		for i := 1; i < len(got); i++ {
			if got[i].Seq <= got[i-1].Seq {
				t.Errorf("#%d follows #%d", got[i].Seq, got[i-1].Seq)
			}
		}
	})
}

func BenchmarkScan(b *testing.B) {
	s, _ := store(b, 200_000, 350)
	r, err := blocks.Scan(b.Context(), s, nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(r.Bytes)
	for b.Loop() {
		if _, err := blocks.Scan(b.Context(), s, nil, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(r.Records)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrecords/s")
}
