package payload_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"journal/journal/agents/payload"
	"journal/journal/redact"
)

// document draws a JSON value as encoding/json represents it.
func document(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		kinds := 6
		if depth == 0 {
			kinds = 4
		}
		switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
		case 0:
			return nil
		case 1:
			return rapid.Bool().Draw(t, "bool")
		case 2:
			return rapid.OneOf(
				rapid.Map(rapid.Float64Range(-1e300, 1e300), func(f float64) any { return f }),
				rapid.Map(rapid.Int64(), func(i int64) any { return i }),
			).Draw(t, "number")
		case 3:
			return rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-z"\\\n\t가é😀]{0,40}`)).Draw(t, "string")
		case 4:
			return rapid.SliceOfN(document(depth-1), 0, 6).Draw(t, "array")
		}
		return rapid.MapOfN(rapid.String(), document(depth-1), 0, 6).Draw(t, "object")
	})
}

// plain returns v in the form into which encoding/json decodes, by its methods.
func plain(v payload.Value) any {
	switch v.Kind() {
	case payload.Bool:
		b, _ := v.Bool()
		return b
	case payload.Number:
		return json.Number(v.JSON())
	case payload.String:
		return v.Str()
	case payload.Array:
		list := []any{}
		for item := range v.Items() {
			list = append(list, plain(item))
		}
		return list
	case payload.Object:
		object := map[string]any{}
		for name, m := range v.Members() {
			object[name] = plain(m)
		}
		return object
	}
	return nil
}

// decode returns what encoding/json makes of b.
func decode(b []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	return v, d.Decode(&v)
}

func TestReadAgreesWithEncodingJSON(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in, err := json.Marshal(document(4).Draw(t, "document"))
		if err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "indent") {
			var b bytes.Buffer
			if err := json.Indent(&b, in, " ", "\t"); err != nil {
				t.Fatal(err)
			}
			in = b.Bytes()
		}
		want, err := decode(in)
		if err != nil {
			t.Fatal(err)
		}
		v, err := payload.Read(iotest.HalfReader(bytes.NewReader(in)), payload.Limits{})
		if err != nil || v.Cut() {
			t.Fatalf("Read(%s): cut %v, error %v", in, v.Cut(), err)
		}
		if got := plain(v); !reflect.DeepEqual(got, want) {
			t.Fatalf("Read(%s) = %v, want %v", in, got, want)
		}
		again, err := decode(v.JSON())
		if err != nil || !reflect.DeepEqual(again, want) {
			t.Fatalf("JSON(%s) = %s, %v", in, v.JSON(), err)
		}
		cleaned := v.Clean(func(_ redact.Place, s string) string { return s })
		if !bytes.Equal(cleaned.JSON(), v.JSON()) {
			t.Fatalf("Clean changed %s to %s", v.JSON(), cleaned.JSON())
		}
	})
}

// TestReadKeepsTheEndsOfTheDecodedString: the kept ends must be those of the string as encoding/json decodes it,
// however it is written and wherever the reader splits it.
func TestReadKeepsTheEndsOfTheDecodedString(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOfN(rapid.SampledFrom([]string{
			"plain text ", `\n`, `\"`, `\u00e9`, `\ud83d\ude00`, `\ud83d`, "가나다", "😀", "\xff", "\xe2\x82", strings.Repeat("run ", 3000),
		}), 1, 60).Draw(t, "pieces")
		text := strings.Repeat(strings.Join(pieces, ""), rapid.IntRange(1, 30).Draw(t, "times"))
		var whole string
		if err := json.Unmarshal([]byte(`"`+text+`"`), &whole); err != nil {
			t.Fatal(err)
		}
		v, err := payload.Read(iotest.HalfReader(strings.NewReader(`"`+text+`"`)), payload.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		got := v.Clean(nil).Str()
		if len(whole) <= 16<<10 {
			if got != whole {
				t.Fatalf("a string of %d bytes was changed", len(whole))
			}
			return
		}
		head, rest, found := strings.Cut(got, "…[+")
		_, tail, found2 := strings.Cut(rest, "]…")
		if !found || !found2 {
			t.Fatalf("no mark in what is kept of %d bytes", len(whole))
		}
		if !strings.HasPrefix(whole, head) || !strings.HasSuffix(whole, tail) {
			t.Fatal("what is kept is not the ends of the string")
		}
		const slack = 64 // a cluster of characters that is not broken, and the alignment of the margin
		if len(head) > 8<<10 || len(head) < 8<<10-slack || len(tail) > 4<<10 || len(tail) < 4<<10-slack {
			t.Fatalf("kept %d and %d bytes", len(head), len(tail))
		}
	})
}
