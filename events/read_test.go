package events

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sameAsGeneral compares the fast reader with the general decoder: both must give the same. It reports whether the fast
// reader accepted the envelope.
func sameAsGeneral(t *testing.T, b []byte) (envelope bool) {
	t.Helper()
	e, ok := readEnvelope(b)
	general, err := decodeAny(b)
	if ok {
		if err != nil {
			t.Fatalf("% x: read, but the general decoder says %v", b, err)
		}
		if !reflect.DeepEqual(general, e) {
			t.Fatalf("% x (-general +read):\n%s", b, cmp.Diff(general, e))
		}
	}
	return ok
}

// TestReadsWhatIsEncoded: the envelope of every declared event, full and empty, is read by the fast reader, with the
// same result.
func TestReadsWhatIsEncoded(t *testing.T) {
	t.Parallel()
	for name, d := range declared {
		for what, ev := range map[string]Event{"full": filled(d), "empty": reflect.Zero(d.goType).Interface().(Event)} {
			for _, m := range []Meta{
				{},
				{At: -1, Agent: "claude", Lane: "l", Turn: "t", PID: 1 << 20, Cause: "c", N: 300, Key: "tu1", EchoOf: 1 << 60, Rules: 1},
				{Session: strings.Repeat("s", 70_000), Project: strings.Repeat("p", 300)},
				{At: -100, PID: 200, N: 40_000}, {At: -200, EchoOf: 200, Rules: 100}, {At: -40_000, EchoOf: 1 << 40}, {At: -1 << 31}, {At: -1 << 63},
				{Agent: strings.Repeat("a", 31), Lane: strings.Repeat("l", 32), Cause: strings.Repeat("c", 400)},
			} {
				e, err := Wrap(ev, m)
				if err != nil {
					t.Fatal(err)
				}
				e.More = []byte(`{"x":1}`)
				b, err := Encode(e)
				if err != nil {
					t.Fatal(err)
				}
				if !sameAsGeneral(t, b) {
					t.Errorf("%s, %s: the envelope is not read", what, name)
				}
			}
		}
	}
}

// TestReadsEveryLength: lists and texts of every length are read fast, including at the limits of their heads.
func TestReadsEveryLength(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 15, 16, 17, 31, 32, 255, 256, 65_535, 65_536} {
		for what, ev := range map[string]Event{
			"texts": PromptSubmitted{Text: strings.Repeat("x", n)},
			"lists": TodosWritten{Todos: slices.Repeat([]Todo{{Text: "a"}}, min(n, 20_000))},
		} {
			e, err := Wrap(ev, Meta{})
			if err != nil {
				t.Fatal(err)
			}
			b, err := Encode(e)
			if err != nil {
				t.Fatal(err)
			}
			if !sameAsGeneral(t, b) {
				t.Errorf("%s of %d: the envelope is not read", what, n)
			}
		}
	}
}

// pairsOf splits a map into its pairs of name and value, as bytes.
func pairsOf(t *testing.T, b []byte) (pairs [][]byte) {
	t.Helper()
	n, i, ok := members(b, 0)
	if !ok {
		t.Fatalf("% x is no map", b)
	}
	for range n {
		end := i
		for range 2 {
			var err error
			if end, err = skip(b, end, maxDepth); err != nil {
				t.Fatal(err)
			}
		}
		pairs, i = append(pairs, b[i:end:end]), end
	}
	return pairs
}

// mapOf returns a map of pairs.
func mapOf(pairs ...[]byte) []byte {
	b := []byte{0xde, byte(len(pairs) >> 8), byte(len(pairs))}
	return append(b, bytes.Join(pairs, nil)...)
}

// TestReadsMembersInAnyOrder: members may be missing, in any order, repeated, or a later program's: all are read as by
// the general decoder, and additions do not prevent the fast path.
func TestReadsMembersInAnyOrder(t *testing.T) {
	t.Parallel()
	later := []byte("\xa5later\x82\xa1a\x92\x01\xc0\xa1b\xcb\x3f\xf0\x00\x00\x00\x00\x00\x00")
	for name, d := range declared {
		e, err := Wrap(filled(d), Meta{Agent: "claude", Session: "s", Project: "p", Lane: "l", Turn: "t", Cause: "c", At: 5, PID: 7, N: 300, Key: "k", EchoOf: 3, Rules: 1})
		if err != nil {
			t.Fatal(err)
		}
		e.More = []byte("{}")
		b, err := Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		read := func(pairs [][]byte) bool { return sameAsGeneral(t, mapOf(pairs...)) }
		pairs := pairsOf(t, b)
		for i, pair := range pairs {
			read(slices.Delete(slices.Clone(pairs), i, i+1))
			read(append(slices.Clone(pairs), pair))
			read(slices.Insert(slices.Clone(pairs), i, pair))
			_, value, _ := contentAt(pair, 0, str)
			for _, other := range []string{"\x00", "\x05", "\xa0", "\xa1x", "\xc0", "\xc2", "\xc3", "\x80", "\x90", "\x91\xa1x", "\x91\x80", "\xc4\x00", "\xc4\x01x"} {
				read(append(slices.Clone(pairs), append(slices.Clone(pair[:value]), other...)))
				read(slices.Insert(slices.Clone(pairs), i, append(slices.Clone(pair[:value]), other...)))
			}
			if !read(slices.Insert(slices.Clone(pairs), i, later)) {
				t.Errorf("%s: an envelope with a later member at %d is not read", name, i)
			}
		}
		slices.Reverse(pairs)
		if !read(pairs) {
			t.Errorf("%s: an envelope with its members turned around is not read", name)
		}
	}
}

// TestReadsAsTheGeneralDecoder: bytes with random changes are read as by the general decoder, or left to it.
func TestReadsAsTheGeneralDecoder(t *testing.T) {
	t.Parallel()
	heads := []byte{0x00, 0x7f, 0x80, 0x81, 0x90, 0x91, 0xa0, 0xa1, 0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc7, 0xca, 0xcb, 0xcc, 0xcd, 0xce, 0xcf, 0xd0, 0xd3, 0xd4, 0xd9, 0xdc, 0xdd, 0xde, 0xdf, 0xff}
	rnd := rand.New(rand.NewPCG(1, 2))
	for name, d := range declared {
		e, err := Wrap(filled(d), Meta{Agent: "claude", Key: "k", N: 1})
		if err != nil {
			t.Fatal(err)
		}
		b, err := Encode(e)
		if err != nil {
			t.Fatal(name, err)
		}
		for range 2000 {
			c := append([]byte(nil), b...)
			for range 1 + rnd.IntN(2) {
				at := rnd.IntN(len(c))
				switch rnd.IntN(4) {
				case 0:
					c[at] = heads[rnd.IntN(len(heads))]
				case 1:
					c[at] ^= 1 << rnd.IntN(8)
				case 2:
					c = append(c[:at], c[at+1:]...)
				default:
					c = append(c[:at], append([]byte{heads[rnd.IntN(len(heads))]}, c[at:]...)...)
				}
			}
			sameAsGeneral(t, c)
		}
	}
}

// TestReadAllocates: an envelope costs the memory of its texts and no more.
func TestReadAllocates(t *testing.T) {
	e, err := Wrap(CommandRan{Command: "go test ./...", Use: "toolu_1"}, Meta{Agent: "claude", Session: "s", Project: "p", Key: "t1"})
	if err != nil {
		t.Fatal(err)
	}
	b, err := Encode(e)
	if err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() { Decode(b, 1) }); n > 1 {
		t.Errorf("%v allocations for an envelope", n)
	}
}

// FuzzRead compares the fast reader with the general decoder.
func FuzzRead(f *testing.F) {
	seeds(f)
	for _, d := range declared {
		e, err := Wrap(filled(d), Meta{Agent: "claude", Key: "k"})
		if err != nil {
			f.Fatal(err)
		}
		b, err := Encode(e)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) { sameAsGeneral(t, b) })
}

// BenchmarkDecode reads one envelope, and the event in it.
func BenchmarkDecode(b *testing.B) {
	e, err := Wrap(CommandRan{Command: "go test ./internal/limiter", About: "run the tests", Cwd: "/src", Failed: true, Exit: 1, Error: "exit status 1", Use: "toolu_01", Millis: 1300},
		Meta{At: 1 << 60, Agent: "claude", Session: NewID(), Project: "p-0123456789abcdef", Turn: NewID(), Key: "ttoolu_01", Rules: 3})
	if err != nil {
		b.Fatal(err)
	}
	e.More = []byte(strings.Repeat(`{"a":1}`, 20))
	enc, err := Encode(e)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("envelope", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Decode(enc, 1); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("open", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Open(e); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("general", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := decodeAny(enc); err != nil {
				b.Fatal(err)
			}
		}
	})
}
