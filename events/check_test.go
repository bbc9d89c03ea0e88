package events

import (
	"bytes"
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

// Check takes what the codec encodes and nothing that was cut.
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

// Whatever bytes come in, reading them as an event ends well and within memory
// that depends on their number.
func FuzzDecode(f *testing.F) {
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
	}
	f.Add([]byte{0xdd, 0x00, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, b []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		e, err := Decode(b, 1)
		if err == nil {
			if ev, err := Open(e); err == nil && ev == nil {
				t.Error("no event and no error")
			}
			if _, err := ViewOf(e); err == nil && e.Seq != 1 {
				t.Error("the place was lost")
			}
			if _, err := MapEnvelope(e, strings.ToUpper); err == nil && e.ID == "" {
				t.Error("an envelope without id was taken")
			}
		}
		runtime.ReadMemStats(&after)
		if used, most := after.TotalAlloc-before.TotalAlloc, uint64(len(b))*256+4<<20; used > most {
			t.Errorf("%d bytes of input took %d bytes of memory", len(b), used)
		}
	})
}
