package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"journal/events"
)

// FuzzReader: no row ends the reading, and every step can be recognised.
func FuzzReader(f *testing.F) {
	b, err := os.ReadFile(filepath.Join("testdata", "session.jsonl"))
	if err != nil {
		f.Fatal(err)
	}
	for line := range bytes.Lines(b) {
		f.Add(line)
	}
	const begin = `{"type":"user","uuid":"u","sessionId":"s","cwd":"/p","message":{"content":"begin"}}` + "\n"
	f.Fuzz(func(t *testing.T, rows []byte) {
		r, err := NewReader(io.MultiReader(bytes.NewReader([]byte(begin)), bytes.NewReader(rows)), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		for n := 0; ; n++ {
			s, err := r.Next()
			if errors.Is(err, io.EOF) {
				if n < 2 {
					t.Errorf("the first row gives %d steps", n)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(events.Recognise(s.Report.Hook)) == 0 || len(s.IDs(1)[0]) != 36 {
				t.Errorf("%+v means nothing", s)
			}
		}
	})
}

// FuzzSkim: of what is JSON the skimmer sees what the parser sees.
func FuzzSkim(f *testing.F) {
	for _, s := range []string{
		`{}`, `{"a":1}`, ` {"a" : "b\\" , "c":[1,{"d":"}"}], "e":"\"" } `, `{"a":"\\\\\\\""}`, `{"a":{"b":[[],{}]},"n":-1e5,"t":true,"z":null}`,
		`{"a":"`, `{"a":"\"}`, `[1,2]`, `{"a":1}x`, `{"é":"日本"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var want map[string]json.RawMessage
		valid := json.Unmarshal(b, &want) == nil && want != nil
		if valid && !closed(b) {
			t.Fatalf("%q is not closed", b)
		}
		n := 0
		for name, v := range members(b) {
			n++
			if !valid {
				continue
			}
			var key string
			if json.Unmarshal(append(append([]byte{'"'}, name...), '"'), &key) != nil {
				t.Fatalf("name %q", name)
			}
			if !json.Valid(v) {
				t.Fatalf("%q has %q = %q", b, key, v)
			}
			if _, ok := want[key]; !ok {
				t.Fatalf("%q has no %q", b, key)
			}
		}
		if valid && n < len(want) {
			t.Fatalf("%q: %d of %d members", b, n, len(want))
		}
	})
}
