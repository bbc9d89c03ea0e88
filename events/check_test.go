package events

import (
	"bytes"
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/vmihailenco/msgpack/v5"
	"pgregory.net/rapid"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	nested := func(n int) []byte { return append(bytes.Repeat([]byte{0x91}, n), 0xc0) }
	for name, tc := range map[string]struct {
		in []byte
		ok bool
	}{
		"nothing":                      {nil, false},
		"nil":                          {[]byte{0xc0}, true},
		"unused head":                  {[]byte{0xc1}, false},
		"fixext":                       {[]byte{0xd5, 1, 2, 3}, true},
		"cut fixext":                   {[]byte{0xd8, 1, 2, 3}, false},
		"ext 8":                        {[]byte{0xc7, 2, 9, 1, 2}, true},
		"string":                       {append([]byte{0xd9, 3}, "abc"...), true},
		"cut string":                   {append([]byte{0xd9, 4}, "abc"...), false},
		"bytes after the value":        {[]byte{0xc0, 0xc0}, false},
		"array of four billion":        {[]byte{0xdd, 0xff, 0xff, 0xff, 0xff}, false},
		"array that a slice would eat": {[]byte{0xdd, 0x00, 0xff, 0xff, 0xff}, false},
		"map of four billion":          {[]byte{0xdf, 0xff, 0xff, 0xff, 0xff}, false},
		"string of four billion":       {[]byte{0xdb, 0xff, 0xff, 0xff, 0xff}, false},
		"nested 32 deep":               {nested(32), true},
		"nested 33 deep":               {nested(33), false},
		"nested four million deep":     {nested(4 << 20), false},
	} {
		if err := Check(tc.in); (err == nil) != tc.ok {
			t.Errorf("%s: %v, want ok %v", name, err, tc.ok)
		}
	}
}

// TestCheckSaysWhere: an error gives the position.
func TestCheckSaysWhere(t *testing.T) {
	t.Parallel()
	for want, in := range map[string][]byte{
		"3 bytes after the value":                     {0x91, 0xc0, 0xc0, 0xc0, 0xc0},
		"value ends at byte 0":                        {},
		"bad or cut value at byte 1":                  {0x91, 0xc1},
		"15 values announced at byte 2, 1 bytes left": {0x91, 0x9f, 0xc0},
		"nested deeper than 32 at byte 33":            append(bytes.Repeat([]byte{0x91}, 33), 0xc0),
	} {
		if err := Check(in); err == nil || !errors.Is(err, ErrMalformed) || !strings.Contains(err.Error(), want) {
			t.Errorf("% x: %v, want %s", in, err, want)
		}
	}
	if _, err := Marshal(map[string]any{"a": func() {}}); err == nil {
		t.Error("a function has a spelling")
	}
}

// TestCheckEveryHead: the heads of the format's specification, each with the smallest contents that use all of its
// parts.
func TestCheckEveryHead(t *testing.T) {
	t.Parallel()
	heads := []struct {
		first, last byte
		behind      func(head byte) string
	}{
		{0x00, 0x7f, nil}, // positive fixint
		{0x80, 0x8f, func(c byte) string { return strings.Repeat("\x01\xc0", int(c&15)) }}, // fixmap
		{0x90, 0x9f, func(c byte) string { return strings.Repeat("\xc0", int(c&15)) }},     // fixarray
		{0xa0, 0xbf, func(c byte) string { return strings.Repeat("s", int(c&31)) }},        // fixstr
		{0xc0, 0xc0, nil},                            // nil
		{0xc2, 0xc3, nil},                            // false, true
		{0xc4, 0xc4, with("\x02ab")},                 // bin 8
		{0xc5, 0xc5, with("\x00\x02ab")},             // bin 16
		{0xc6, 0xc6, with("\x00\x00\x00\x02ab")},     // bin 32
		{0xc7, 0xc7, with("\x02\x07ab")},             // ext 8: length, type, data
		{0xc8, 0xc8, with("\x00\x02\x07ab")},         // ext 16
		{0xc9, 0xc9, with("\x00\x00\x00\x02\x07ab")}, // ext 32
		{0xca, 0xca, with("1234")},                   // float 32
		{0xcb, 0xcb, with("12345678")},               // float 64
		{0xcc, 0xcc, with("1")},                      // uint 8
		{0xcd, 0xcd, with("12")},
		{0xce, 0xce, with("1234")},
		{0xcf, 0xcf, with("12345678")},
		{0xd0, 0xd0, with("1")}, // int 8
		{0xd1, 0xd1, with("12")},
		{0xd2, 0xd2, with("1234")},
		{0xd3, 0xd3, with("12345678")},
		{0xd4, 0xd8, func(c byte) string { return "\x07" + strings.Repeat("x", 1<<(c-0xd4)) }}, // fixext: type, data
		{0xd9, 0xd9, with("\x02ab")}, // str 8
		{0xda, 0xda, with("\x00\x02ab")},
		{0xdb, 0xdb, with("\x00\x00\x00\x02ab")},
		{0xdc, 0xdc, with("\x00\x02\x01\x02")}, // array 16
		{0xdd, 0xdd, with("\x00\x00\x00\x02\x01\x02")},
		{0xde, 0xde, with("\x00\x01\x01\x02")}, // map 16
		{0xdf, 0xdf, with("\x00\x00\x00\x01\x01\x02")},
		{0xe0, 0xff, nil}, // negative fixint
	}
	seen := map[byte]bool{0xc1: true} // never used
	for _, h := range heads {
		for c := int(h.first); c <= int(h.last); c++ {
			seen[byte(c)] = true
			in := []byte{byte(c)}
			if h.behind != nil {
				in = append(in, h.behind(byte(c))...)
			}
			if err := Check(in); err != nil {
				t.Errorf("%x: %v", in, err)
			}
			for n := range in {
				if Check(in[:n]) == nil {
					t.Errorf("%x passes without its last %d bytes", in, len(in)-n)
				}
			}
			if Check(append(in, 0xc0)) == nil {
				t.Errorf("%x passes with a byte behind it", in)
			}
		}
	}
	if len(seen) != 256 {
		t.Errorf("%d heads of 256 are in the table", len(seen))
	}
}

func with(s string) func(byte) string { return func(byte) string { return s } }

// TestCheckDepth: the nesting limit counts levels that are not empty.
func TestCheckDepth(t *testing.T) {
	t.Parallel()
	for name, level := range map[string]string{"list": "\x91", "map": "\x81\x01", "key of a map": "\x81"} {
		rest := func(n int) string {
			if name == "key of a map" {
				return strings.Repeat("\x01", n)
			}
			return ""
		}
		for n, ok := range map[int]bool{1: true, maxDepth: true, maxDepth + 1: false, maxDepth + 2: false} {
			if err := Check([]byte(strings.Repeat(level, n) + "\xc0" + rest(n))); (err == nil) != ok {
				t.Errorf("%s, %d deep: %v, want ok %v", name, n, err, ok)
			}
		}
		if err := Check([]byte(strings.Repeat(level, maxDepth) + "\x90" + rest(maxDepth))); err != nil {
			t.Errorf("%s, an empty one at the bottom: %v", name, err)
		}
	}
}

// TestCheckRefusesPrefixes: every golden is accepted whole, and refused at every shorter length.
func TestCheckRefusesPrefixes(t *testing.T) {
	t.Parallel()
	for name, d := range declared {
		b, err := Marshal(filled(d))
		if err != nil {
			t.Fatal(err)
		}
		if err := Check(b); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for n := range b {
			if !errors.Is(Check(b[:n]), ErrMalformed) {
				t.Errorf("%s: the first %d of %d bytes pass", name, n, len(b))
			}
		}
	}
}

func TestCheckDoesNotAllocate(t *testing.T) {
	b, err := Marshal(filled(declared["file.observed"]))
	if err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() {
		if Check(b) != nil {
			t.Error("refused")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestCheckTakesWhatIsEncoded: Check accepts what the codec encodes, and nothing that was cut.
func TestCheckTakesWhatIsEncoded(t *testing.T) {
	t.Parallel()
	value := rapid.Custom(func(t *rapid.T) any { return drawValue(t, 4) })
	rapid.Check(t, func(t *rapid.T) {
		b, err := msgpack.Marshal(value.Draw(t, "value"))
		if err != nil {
			t.Fatal(err)
		}
		if err := Check(b); err != nil {
			t.Fatalf("%x: %v", b, err)
		}
		if err := Check(b[:rapid.IntRange(0, len(b)-1).Draw(t, "cut")]); err == nil {
			t.Fatal("a cut value was taken")
		}
	})
}

func drawValue(t *rapid.T, depth int) any {
	kinds := 6
	if depth > 0 {
		kinds = 8
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		return nil
	case 1:
		return rapid.Bool().Draw(t, "bool")
	case 2:
		return rapid.Int64().Draw(t, "int")
	case 3:
		return rapid.Float64().Draw(t, "float")
	case 4:
		return strings.Repeat("x", rapid.IntRange(0, 70000).Draw(t, "length"))
	case 5:
		return rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "bytes")
	case 6:
		list := make([]any, rapid.IntRange(0, 20).Draw(t, "items"))
		for i := range list {
			list[i] = drawValue(t, depth-1)
		}
		return list
	default:
		m := map[string]any{}
		for range rapid.IntRange(0, 20).Draw(t, "members") {
			m[rapid.StringN(0, 40, 100).Draw(t, "key")] = drawValue(t, depth-1)
		}
		return m
	}
}

// most is what reading may allocate for n bytes. Each byte can be an Entry of 80 bytes, which the decoder allocates
// twice when it grows a list; the rest is for the runtime and other tests.
func most(n int) uint64 { return 256*uint64(n) + 1<<20 }

// read does everything that is done with foreign bytes.
func read(t *testing.T, b []byte) {
	e, err := Decode(b, 1)
	if err != nil {
		return
	}
	if e.ID == "" || e.Type == "" || e.Seq != 1 {
		t.Errorf("taken for an envelope: %+v", e)
	}
	ev, err := Open(e)
	v, viewErr := ViewOf(e)
	same, mapErr := MapEnvelope(e, func(s string) string { return s })
	if err != nil {
		return // fields that do not fit a declared type
	}
	if viewErr != nil || !json.Valid(v.Data) {
		t.Errorf("%+v cannot be shown: %s, error %v", ev, v.Data, viewErr)
	}
	if mapErr != nil && json.Valid(e.More) {
		t.Errorf("%+v cannot be mapped: %v", ev, mapErr)
	}
	if u, ok := ev.(Unknown); ok && mapErr == nil && !bytes.Equal(same.Body, u.Raw) {
		t.Errorf("%x is mapped to %x", u.Raw, same.Body)
	}
	if again, err := Encode(e); err == nil {
		if _, err := Decode(again, 1); err != nil {
			t.Errorf("encoded again it is refused: %v", err)
		}
	}
}

// hostile returns envelopes with bodies that announce much in few bytes.
func hostile(t testing.TB) map[string][]byte {
	const n = 1 << 15
	count := string([]byte{0, 0, n >> 8, n & 0xff})
	all := map[string][]byte{}
	for name, tc := range map[string]struct {
		typ  Type
		body string
	}{
		"entries that are nil":    {"file.observed", "\x81\xa7entries\xdd" + count + strings.Repeat("\xc0", n)},
		"entries that are empty":  {"file.observed", "\x81\xa7entries\xdd" + count + strings.Repeat("\x80", n)},
		"todos":                   {"todos.written", "\x81\xa5todos\xdd" + count + strings.Repeat("\x80", n)},
		"strings":                 {"tool.used", "\x81\xa5paths\xdd" + count + strings.Repeat("\xa0", n)},
		"unknown, maps":           {"moon.seen", "\x81\xa1k\xdd" + count + strings.Repeat("\x80", n)},
		"unknown, maps of one":    {"moon.seen", "\x81\xa1k\xdd" + count + strings.Repeat("\x81\xa0\xc0", n)},
		"unknown, bytes of none":  {"moon.seen", "\x81\xa1k\xdd" + count + strings.Repeat("\xc4\x00", n)},
		"unknown, floats":         {"moon.seen", "\x81\xa1k\xdd" + count + strings.Repeat("\xca\x00\x00\x00\x01", n)},
		"unknown, control bytes":  {"moon.seen", "\x81\xa1k\xdb" + count + strings.Repeat("\x01", n)},
		"unknown, keys in keys":   {"moon.seen", strings.Repeat("\x81", 31) + "\xa1\"" + strings.Repeat("\x01", 31)},
		"unknown, extension":      {"moon.seen", "\x81\xa1k\xd6\x80\xff\xff\xff\xff"},
		"unknown, extension key":  {"moon.seen", "\x81\xc7\x00\x05\xc0"},
		"skipped field":           {"phase.planned", "\x81\xa1k\xdd" + count + strings.Repeat("\x90", n)},
		"field twice":             {"tool.used", "\x82\xa5paths\x92\xa1a\xa1b\xa5paths\x91\xa1c"},
		"negative in an unsigned": {"file.observed", "\x81\xa4size\xff"},
	} {
		b, err := Marshal(Envelope{Meta: Meta{Version: 1, ID: "i", Type: tc.typ, TypeVer: 1}, Body: Raw(tc.body)})
		if err != nil {
			t.Fatal(err)
		}
		if err := Check(b); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all[name] = b
	}
	return all
}

// Memory is measured over the whole process: this test runs alone.
func TestMemoryIsBoundByTheBytes(t *testing.T) {
	for name, b := range hostile(t) {
		if used := allocated(func() { read(t, b) }); used > 4*most(len(b)) { // Decode, Open, ViewOf, MapEnvelope
			t.Errorf("%s: %d bytes took %d bytes of memory, %d for each", name, len(b), used, int(used)/len(b))
		}
	}
}

func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func seeds(f *testing.F) {
	for _, d := range declared {
		env, err := Wrap(filled(d), Meta{Session: "s", Project: "p", At: 1})
		if err != nil {
			f.Fatal(err)
		}
		env.More = []byte(`{"x":[1,"y"]}`)
		b, err := Encode(env)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
		f.Add([]byte(env.Body))
	}
	for _, b := range hostile(f) {
		f.Add(b)
	}
	f.Add([]byte{0xdd, 0x00, 0xff, 0xff, 0xff})
	f.Add([]byte{0xdf, 0xff, 0xff, 0xff, 0xff})
}

// FuzzDecode: reading any bytes as an event ends well, and within memory that depends on their number.
func FuzzDecode(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		if used := allocated(func() { read(t, b) }); used > 4*most(len(b)) {
			t.Errorf("%d bytes of input took %d bytes of memory", len(b), used)
		}
	})
}

// FuzzCheck: Check and the decoder agree on the end of a value, and any value that Check accepts can be shown.
func FuzzCheck(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		if Check(b) != nil {
			return
		}
		r := bytes.NewReader(b)
		if err := msgpack.NewDecoder(r).Skip(); err != nil || r.Len() != 0 {
			t.Errorf("the decoder leaves %d bytes, error %v", r.Len(), err)
		}
		if form := jsonForm(b); !json.Valid(form) {
			t.Errorf("shown as %q", form)
		}
		for n := range min(len(b), 200) {
			if Check(b[:n]) == nil {
				t.Errorf("the first %d of %d bytes pass too", n, len(b))
			}
		}
	})
}
