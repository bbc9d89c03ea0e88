package payload_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"journal/journal/agents/payload"
	"journal/journal/redact"
)

func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"", " ", "{}", "[1,2", `{"a":"b","a":{"c":[true,false,null]}}`, "\xEF\xBB\xBF[]", `"\ud83d\ude00\ud83d"`,
		`{"session_id":"s","tool_input":{"content":"` + strings.Repeat(`x\n가`, 300) + `"}}`,
		strings.Repeat("[", 100) + strings.Repeat("]", 100), `-0.1e+2`, "01", "[1,]", "{\"\xff\":\"\xe2\x82\"}", "1 2",
		variety(8),
	} {
		f.Add([]byte(seed))
	}
	small := payload.Limits{
		String: 100, Total: 1000, Items: 20,
		Whole: func(path string) bool { return strings.HasSuffix(path, "a") },
		Drop:  func(path string) bool { return strings.HasSuffix(path, "d") },
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		v, err := payload.Read(bytes.NewReader(in), payload.Limits{})
		want, wantErr := decode(in)
		switch {
		case json.Valid(in) && err != nil:
			t.Fatalf("error %v for valid JSON", err)
		case json.Valid(in) && !v.Cut():
			if wantErr != nil {
				t.Fatal(wantErr)
			}
			if got, err := decode(v.JSON()); err != nil || !equal(got, want) {
				t.Fatalf("JSON = %s, %v", v.JSON(), err)
			}
		case err == nil && !json.Valid(in) && !lenient(in) && !v.Cut():
			t.Fatal("no error for what is not JSON")
		}
		if len(bytes.Trim(in, " \r\n\t")) == 0 && !errors.Is(err, payload.ErrEmpty) {
			t.Fatalf("error = %v, want ErrEmpty", err)
		}
		check(t, v)

		tight, err := payload.Read(bytes.NewReader(in), small)
		check(t, tight)
		clean := tight.Clean(func(_ redact.Place, s string) string { return strings.ReplaceAll(s, "x", "") })
		check(t, clean)
		if n := weight(clean); n > small.Total {
			t.Fatalf("kept %d bytes", n)
		}
		if n := count(clean); n > small.Items+1 {
			t.Fatalf("kept %d items", n)
		}
		bytewise, err2 := payload.Read(iotest.OneByteReader(bytes.NewReader(in)), small)
		if !bytes.Equal(tight.JSON(), bytewise.JSON()) || (err == nil) != (err2 == nil) || err != nil && err.Error() != err2.Error() {
			t.Fatalf("byte by byte: %s, %v; in one piece: %s, %v", bytewise.JSON(), err2, tight.JSON(), err)
		}
	})
}

func equal(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// lenient reports whether in has something that Read accepts beyond JSON.
func lenient(in []byte) bool {
	return bytes.HasPrefix(in, []byte("\xEF\xBB\xBF")) ||
		bytes.ContainsFunc(in, func(r rune) bool { return r < ' ' })
}

func check(t *testing.T, v payload.Value) {
	t.Helper()
	if v.Exists() && !json.Valid(v.JSON()) {
		t.Fatalf("JSON = %q", v.JSON())
	}
}

func count(v payload.Value) int {
	n := 0
	if v.Exists() {
		n = 1
	}
	for _, m := range v.Members() {
		n += count(m)
	}
	for item := range v.Items() {
		n += count(item)
	}
	return n
}
