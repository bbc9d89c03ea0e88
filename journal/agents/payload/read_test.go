package payload_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"journal/journal/agents/payload"
)

// read reads in with the limits and fails the test on an error.
func read(t *testing.T, in string, lim payload.Limits) payload.Value {
	t.Helper()
	v, err := payload.Read(strings.NewReader(in), lim)
	if err != nil {
		t.Fatalf("Read(%.80q): %v", in, err)
	}
	return v
}

func TestReadValid(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, in, want string }{
		{"object", ` { "a" : 1 , "b" : [ true , false , null ] } ` + "\r\n\t", `{"a":1,"b":[true,false,null]}`},
		{"empty containers", `{"a":{},"b":[]}`, `{"a":{},"b":[]}`},
		{"order stays", `{"z":1,"a":2,"m":3}`, `{"z":1,"a":2,"m":3}`},
		{"last of equal names", `{"a":1,"b":2,"a":3}`, `{"b":2,"a":3}`},
		{"equal after decoding", `{"a":1,"\u0061":2}`, `{"a":2}`},
		{"byte order mark", "\xEF\xBB\xBF{}", `{}`},
		{"string at the top", `"a\tb"`, `"a\tb"`},
		{"number at the top", `-0.50E+3`, `-0.50E+3`},
		{"literal at the top", `null`, `null`},
		{"numbers as received", `[1e999,-0,0.10,123456789012345678901234567890,1E-2]`, `[1e999,-0,0.10,123456789012345678901234567890,1E-2]`},
		{"escapes", `"\"\\\/\b\f\n\r\t\u00e9"`, `"\"\\/\u0008\u000c\n\r\té"`},
		{"surrogate pair", `"\ud83d\ude00\uD83D\uDE00"`, `"😀😀"`},
		{"lone surrogates", `"\ud83d \ude00 \ud83d\ud83d\ude00 \ud83dx \ud83d\u0041"`, "\"\uFFFD \uFFFD \uFFFD😀 \uFFFDx \uFFFDA\""},
		{"not UTF-8", "\"a\xffb\xc3(\xe2\x82\"", "\"a\uFFFDb\uFFFD(\uFFFD\uFFFD\""},
		{"not UTF-8 before an escape", "\"\xe2\\n\xe2\\u20ac\"", "\"\uFFFD\\n\uFFFD€\""},
		{"not UTF-8 in a name", "{\"\xff\":1}", "{\"\uFFFD\":1}"},
		{"control characters are kept", "\"a\nb\x00\"", `"a\nb\u0000"`},
		{"empty name", `{"":{"":1}}`, `{"":{"":1}}`},
		{"web characters stay", `"<a&b>\u2028"`, "\"<a&b>\u2028\""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			v := read(t, tc.in, payload.Limits{})
			if got := string(v.JSON()); got != tc.want {
				t.Errorf("JSON = %s, want %s", got, tc.want)
			}
			if v.Cut() {
				t.Error("Cut = true for a document within the limits")
			}
		})
	}
}

func TestReadBroken(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, in, want string
		offset         int64
	}{
		{"no JSON", `hello`, ``, 0},
		{"one bracket", `{`, `{}`, 1},
		{"open containers", `{"a":[1,{"b":2`, `{"a":[1,{}]}`, 14},
		{"half a string", `{"a":1,"b":"xy`, `{"a":1}`, 14},
		{"half an escape", `{"a":1,"b":"x\`, `{"a":1}`, 13},
		{"half a code point", `{"a":1,"b":"x\u00`, `{"a":1}`, 13},
		{"half a literal", `[true,fal`, `[true]`, 6},
		{"half a number", `[1,23`, `[1]`, 5},
		{"half a name", `{"a":1,"b`, `{"a":1}`, 9},
		{"name only", `{"a":1,"b"`, `{"a":1}`, 10},
		{"no value", `{"a":1,"b":}`, `{"a":1}`, 11},
		{"no colon", `{"a":1,"b" 2}`, `{"a":1}`, 11},
		{"no comma", `{"a":1 "b":2}`, `{"a":1}`, 7},
		{"comma at the end of an object", `{"a":1,}`, `{"a":1}`, 7},
		{"comma at the end of an array", `[1,]`, `[1]`, 3},
		{"comma at the start", `[,1]`, `[]`, 1},
		{"name is no string", `{1:2}`, `{}`, 1},
		{"wrong bracket", `[1}`, `[1]`, 2},
		{"bad escape", `{"a":1,"b":"\x41"}`, `{"a":1}`, 12},
		{"bad code point", `{"a":1,"b":"\u00g0"}`, `{"a":1}`, 12},
		{"leading zero", `[1,01]`, `[1]`, 5},
		{"bare minus", `[1,-]`, `[1]`, 4},
		{"bare point", `[1,2.]`, `[1]`, 5},
		{"bare exponent", `[1,2e+]`, `[1]`, 6},
		{"point first", `[.5]`, `[]`, 1},
		{"wrong literal", `[nul1]`, `[]`, 1},
		{"second document", `{"a":1} {"b":2}`, `{"a":1}`, 8},
		{"letters after a number", `12ab`, `12`, 2},
		{"equal names and a break", `{"a":1,"a":2,`, `{"a":2}`, 13},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			v, err := payload.Read(strings.NewReader(tc.in), payload.Limits{})
			var syntax *payload.SyntaxError
			if !errors.As(err, &syntax) {
				t.Fatalf("error = %v, want a SyntaxError", err)
			}
			if syntax.Offset != tc.offset {
				t.Errorf("offset = %d (%v), want %d", syntax.Offset, err, tc.offset)
			}
			if got := string(v.JSON()); got != tc.want {
				t.Errorf("JSON = %s, want %s", got, tc.want)
			}
			inside := tc.name != "second document" && tc.name != "letters after a number" && v.Exists()
			if v.Cut() != inside {
				t.Errorf("Cut = %v, want %v", v.Cut(), inside)
			}
		})
	}
}

func TestReadEmpty(t *testing.T) {
	t.Parallel()
	for _, in := range []string{"", " \n\t\r ", "\xEF\xBB\xBF", strings.Repeat(" ", 100_000)} {
		v, err := payload.Read(strings.NewReader(in), payload.Limits{})
		if !errors.Is(err, payload.ErrEmpty) || v.Exists() {
			t.Errorf("Read(%.10q) = %s, %v, want ErrEmpty", in, v.JSON(), err)
		}
	}
}

// stalled returns nothing and no error for ever.
type stalled struct{}

func (stalled) Read([]byte) (int, error) { return 0, nil }

func TestReadReaderError(t *testing.T) {
	t.Parallel()
	broken := errors.New("pipe is broken")
	for _, tc := range []struct{ in, want string }{
		{"", ""},
		{"  ", ""},
		{`{"session_id":"s","prompt":"half`, `{"session_id":"s"}`},
		{`{"session_id":"s"}`, `{"session_id":"s"}`},
		{`12`, ``},
	} {
		v, err := payload.Read(io.MultiReader(strings.NewReader(tc.in), iotest.ErrReader(broken)), payload.Limits{})
		if !errors.Is(err, broken) {
			t.Errorf("Read(%q): error = %v, want that of the reader", tc.in, err)
		}
		if got := string(v.JSON()); got != tc.want {
			t.Errorf("Read(%q) = %s, want %s", tc.in, got, tc.want)
		}
	}
	if _, err := payload.Read(stalled{}, payload.Limits{}); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("stalled reader: error = %v, want io.ErrNoProgress", err)
	}
}

// variety is a document in which every kind of value crosses the limits of what a reader returns, with a string of
// times pieces.
func variety(times int) string {
	long := strings.Repeat(`파일 👩‍👩‍👧‍👦 \"x\" \ud83d\ude00\n`, times)
	return `{"session_id":"s-1","num":-12.5e+3,"lit":[true,false,null],"long":"` + long +
		`","bad":"` + "\xe2\x82 \xff" + `\ud83d","nest":{"a":[{"b":"\u00e9"}]},"` + strings.Repeat("n", 300) + `":1}`
}

func TestReadSameInChunks(t *testing.T) {
	t.Parallel()
	in := variety(1500)
	want := string(read(t, in, payload.Limits{}).Clean(nil).JSON())
	for name, r := range map[string]io.Reader{
		"one byte":   iotest.OneByteReader(strings.NewReader(in)),
		"half":       iotest.HalfReader(strings.NewReader(in)),
		"data+error": iotest.DataErrReader(strings.NewReader(in)),
		"both":       iotest.OneByteReader(iotest.DataErrReader(strings.NewReader(in))),
	} {
		v, err := payload.Read(r, payload.Limits{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := string(v.Clean(nil).JSON()); got != want {
			t.Errorf("%s: another result than in one piece", name)
		}
	}
}

func TestReadEveryPrefix(t *testing.T) {
	t.Parallel()
	in := `{"cwd":"/a\tb","session_id":"id-€-\ud83d\ude00","n":-1.5e3,"list":[1,[true,{"x":null}],"é"],"o":{"p":"q"}}`
	known := strings.Index(in, `,"n"`)
	for n := range len(in) {
		v, err := payload.Read(strings.NewReader(in[:n]), payload.Limits{})
		var syntax *payload.SyntaxError
		if n == 0 && !errors.Is(err, payload.ErrEmpty) || n > 0 && !errors.As(err, &syntax) {
			t.Fatalf("prefix %d: error = %v", n, err)
		}
		if syntax != nil && syntax.Offset > int64(n) {
			t.Errorf("prefix %d: offset %d is behind it", n, syntax.Offset)
		}
		want := ""
		if n >= known {
			want = "id-€-😀"
		}
		if got := v.Get("session_id").Str(); got != want {
			t.Errorf("prefix %d: session_id = %q, want %q", n, got, want)
		}
		if v.Exists() && !json.Valid(v.JSON()) {
			t.Errorf("prefix %d: JSON = %s", n, v.JSON())
		}
	}
}

func TestReadDepth(t *testing.T) {
	t.Parallel()
	v := read(t, strings.Repeat("[", 62)+`{"a":[{"b":1}],"c":[[{"x":"]}\"["}]],"d":{"e":2}}`+strings.Repeat("]", 62), payload.Limits{})
	for v.Kind() == payload.Array {
		for v = range v.Items() {
			break
		}
	}
	if got, want := string(v.JSON()), `{"a":[null],"c":[null],"d":{"e":2}}`; got != want {
		t.Errorf("JSON = %s, want %s", got, want)
	}
	if !v.Cut() || !v.Get("a").Cut() || v.Get("d").Cut() {
		t.Error("Cut does not tell where depth was lost")
	}
	exact := strings.Repeat("[", 64) + strings.Repeat("]", 64)
	if v := read(t, exact, payload.Limits{}); v.Cut() || string(v.JSON()) != exact {
		t.Errorf("64 levels were cut: %s", v.JSON())
	}
	v = read(t, "["+exact+"]", payload.Limits{})
	if want := strings.Repeat("[", 64) + "null" + strings.Repeat("]", 64); string(v.JSON()) != want {
		t.Errorf("65 levels = %s", v.JSON())
	}
	if _, err := payload.Read(strings.NewReader(strings.Repeat("[", 65)+`"a"`), payload.Limits{}); err == nil {
		t.Error("no error for a break below the depth")
	}
}

func TestReadItems(t *testing.T) {
	t.Parallel()
	// 16 items, 2 of them reserved for short top-level fields.
	lim := payload.Limits{Items: 16}
	v := read(t, `{"list":[`+strings.Repeat(`1,`, 99)+`1],"obj":{"a":1},"x":1,"y":2,"z":3}`, lim)
	if got := v.Get("list").Len(); got != 13 {
		t.Errorf("kept %d elements, want 13", got)
	}
	if v.Get("obj").Exists() || v.Get("x").Str() != "" || !v.Get("y").Exists() || v.Get("z").Exists() {
		t.Errorf("wrong members of the reserve: %s", v.JSON())
	}
	if !v.Cut() || !v.Get("list").Cut() || v.Get("x").Cut() {
		t.Error("Cut does not tell where items were lost")
	}
}

func TestReadTotal(t *testing.T) {
	t.Parallel()
	t.Run("session behind many values", func(t *testing.T) {
		t.Parallel()
		text := strings.Repeat("x", 1000)
		in := `{"out":[` + strings.Repeat(`"`+text+`",`, 2000) + `"end"],"session_id":"s-1","n":5}`
		v := read(t, in, payload.Limits{})
		if v.Get("session_id").Str() != "s-1" {
			t.Error("session_id is lost")
		}
		if n, ok := v.Get("n").Int(); !ok || n != 5 {
			t.Error("n is lost")
		}
		if n := v.Get("out").Len(); n < 400 || n > 600 {
			t.Errorf("kept %d elements, want about 450", n)
		}
		for item := range v.Get("out").Items() {
			if s := item.Str(); s == "end" {
				t.Error("an element behind a gap was kept")
			}
		}
	})
	t.Run("session behind long fields of the top level", func(t *testing.T) {
		t.Parallel()
		whole := func(string) bool { return true }
		text := strings.Repeat("y", 200<<10)
		in := `{"a":"` + text + `","b":"` + text + `","c":"` + text + `","d":"` + text + `","session_id":"s-1"}`
		v := read(t, in, payload.Limits{Whole: whole})
		if v.Get("session_id").Str() != "s-1" {
			t.Error("session_id is lost")
		}
		if v.Get("a").Str() != text || v.Get("b").Str() != text || !v.Get("c").Cut() {
			t.Error("two of the strings fit whole, the third does not")
		}
	})
	t.Run("session behind many fields of the top level", func(t *testing.T) {
		t.Parallel()
		var in strings.Builder
		in.WriteString(`{`)
		for i := range 3000 {
			fmt.Fprintf(&in, `"f%d":"%s",`, i, strings.Repeat("y", 5_000))
		}
		path := strings.Repeat("/p", 500)
		fmt.Fprintf(&in, `"session_id":"s-1","cwd":%q,"transcript_path":%q}`, path, path)
		v := read(t, in.String(), payload.Limits{})
		if v.Get("session_id").Str() != "s-1" || v.Get("cwd").Str() != path || v.Get("transcript_path").Str() != path {
			t.Error("a short field is lost")
		}
	})
	t.Run("marks when only they fit", func(t *testing.T) {
		t.Parallel()
		v := read(t, `{"o":{"a":"`+strings.Repeat("x", 500)+`","b":"`+strings.Repeat("z", 800)+`"}}`, payload.Limits{Total: 700})
		if got := v.Path("o", "a").Str(); len(got) != 500 {
			t.Errorf("a = %q", got)
		}
		if got := v.Path("o", "b").Clean(nil).Str(); !strings.HasPrefix(got, "…[+800 bytes sha256:") {
			t.Errorf("b = %q", got)
		}
	})
	t.Run("bound", func(t *testing.T) {
		t.Parallel()
		for _, total := range []int{1, 10, 100, 1000, 5000, 20_000, 100_000} {
			v := read(t, variety(1500), payload.Limits{Total: total}).Clean(nil)
			if got := weight(v); got > total {
				t.Errorf("Total %d: kept %d bytes", total, got)
			}
		}
	})
}

// weight is the number of bytes that Limits.Total counts.
func weight(v payload.Value) int {
	n := len(v.Str())
	if v.Kind() == payload.Number {
		n = len(v.JSON())
	}
	for name, m := range v.Members() {
		n += len(name) + weight(m)
	}
	for item := range v.Items() {
		n += weight(item)
	}
	return n
}

func TestReadWhole(t *testing.T) {
	t.Parallel()
	var asked []string
	lim := payload.Limits{Whole: func(path string) bool {
		asked = append(asked, path)
		return strings.HasSuffix(path, "content") || path == "prompt"
	}}
	big, huge := strings.Repeat("가", 20_000), strings.Repeat(`\u0041b`, 140_000)
	v := read(t, fmt.Sprintf(`{"prompt":%q,"other":%q,"small":"x","o":{"list":[{"content":%q},%q],"content":"%s"}}`,
		big, big, big, big, huge), lim)
	if want := []string{"prompt", "other", "o.list[].content", "o.list[]", "o.content"}; !slices.Equal(asked, want) {
		t.Errorf("asked about %q, want %q", asked, want)
	}
	list := slices.Collect(v.Path("o", "list").Items())
	for name, got := range map[string]payload.Value{"prompt": v.Get("prompt"), "content": list[0].Get("content")} {
		if got.Str() != big || got.Cut() {
			t.Errorf("%s was not kept whole", name)
		}
	}
	for name, got := range map[string]payload.Value{"other": v.Get("other"), "element": list[1], "too long": v.Path("o", "content")} {
		if s := got.Clean(nil).Str(); !got.Cut() || len(s) > 12<<10+64 || !strings.Contains(s, " bytes sha256:") {
			t.Errorf("%s: kept %d bytes, cut = %v", name, len(s), got.Cut())
		}
	}
	if got := v.Path("o", "content").Clean(nil).Str(); !strings.Contains(got, fmt.Sprintf("…[+%d bytes ", 2*140_000-12<<10)) {
		t.Error("the mark counts other bytes than those of the decoded string")
	}
}

func TestReadDrop(t *testing.T) {
	t.Parallel()
	v := read(t, `{"user_email":"a@example.com","o":{"user_email":"kept","key":{"deep":[1]}},"list":[{"key":1,"b":2}],"after":3}`, payload.Limits{
		Drop: func(path string) bool { return path == "user_email" || path == "o.key" || path == "list[].key" },
	})
	if got, want := string(v.JSON()), `{"o":{"user_email":"kept"},"list":[{"b":2}],"after":3}`; got != want {
		t.Errorf("JSON = %s, want %s", got, want)
	}
	if v.Cut() {
		t.Error("Cut = true for what was to be dropped")
	}
}

// TestReadTaps: a tap gets its whole string, however long and however little is kept, and nothing else.
func TestReadTaps(t *testing.T) {
	t.Parallel()
	long := strings.ToValidUTF8(variety(4000), "") + strings.Repeat("é\n\x01😀", 20_000)
	quoted, err := json.Marshal(long)
	if err != nil {
		t.Fatal(err)
	}
	in := `{"a":{"b":` + string(quoted) + `,"c":"no"},"s":"short","b":"no","n":{"s":"no"},"k":17}`
	for _, r := range map[string]io.Reader{"whole": strings.NewReader(in), "bytes": iotest.OneByteReader(strings.NewReader(in))} {
		var b, s, k bytes.Buffer
		v, err := payload.Read(r, payload.Limits{String: 1 << 10, Taps: map[string]io.Writer{"a.b": &b, "s": &s, "k": &k}})
		if err != nil {
			t.Fatal(err)
		}
		if got := v.Path("a", "b").Str(); len(got) > 2<<10 || v.Get("s").Str() != "short" {
			t.Errorf("kept %d bytes, and %q", len(got), v.Get("s").Str())
		}
		if b.String() != long || s.String() != "short" || k.Len() != 0 {
			t.Errorf("tapped %d bytes, want %d; %q, %q", b.Len(), len(long), &s, &k)
		}
	}
}

func TestReadNamesAndNumbersTooLong(t *testing.T) {
	t.Parallel()
	fits, over := strings.Repeat("가", 1365), strings.Repeat("n", 4097)
	v := read(t, `{"`+fits+`":1,"`+over+`":{"a":1},"n":`+strings.Repeat("1", 1025)+`,"z":2}`, payload.Limits{})
	if got, want := string(v.JSON()), `{"`+fits+`":1,"n":null,"z":2}`; got != want {
		t.Errorf("JSON = %.40s…, want the short name, null and z", got)
	}
	if !v.Cut() || !v.Get("n").Cut() || v.Get("z").Cut() {
		t.Error("Cut does not tell what was lost")
	}
}

func TestReadManyEqualNames(t *testing.T) {
	t.Parallel()
	var in bytes.Buffer
	in.WriteString(`{"first":0`)
	for i := range 5000 {
		fmt.Fprintf(&in, `,"k%d":%d`, i%100, i)
	}
	in.WriteString(`}`)
	v := read(t, in.String(), payload.Limits{})
	if v.Len() != 101 {
		t.Fatalf("Len = %d, want 101", v.Len())
	}
	at := 4899
	for name, m := range v.Members() {
		if n, _ := m.Int(); name != "first" && (n != int64(at) || name != fmt.Sprintf("k%d", n%100)) {
			t.Fatalf("%s = %d, want %d in the order of the last ones", name, n, at)
		}
		at++
	}
}
