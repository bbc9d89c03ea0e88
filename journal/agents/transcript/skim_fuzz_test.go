package transcript_test

import (
	"encoding/json"
	"testing"

	"journal/journal/agents/transcript"
)

// FuzzSkim: of valid JSON the skimmer sees what the parser sees.
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
		if valid && !transcript.Closed(b) {
			t.Fatalf("%q is not closed", b)
		}
		n := 0
		for name, v := range transcript.Members(b) {
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

// A number or a literal that breaks off is no complete member: it would be another number, or break the object.
func TestWholeMembers(t *testing.T) {
	t.Parallel()
	for torn, want := range map[string]string{
		`{"a":"x","n":12`: `{"a":"x"}`, `{"a":"x","b":tru`: `{"a":"x"}`, `{"a":1,`: `{"a":1}`, `{"a":1,"b":"y`: `{"a":1}`, `{"a":[1,2`: `{}`,
	} {
		if got := string(transcript.WholeMembers([]byte(torn))); got != want {
			t.Errorf("%s: got %s, want %s", torn, got, want)
		}
	}
}
