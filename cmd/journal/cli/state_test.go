package cli_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"journal/cmd/journal/cli"
)

// Members come in their order, whatever stands in names and values.
func TestMembers(t *testing.T) {
	t.Parallel()
	for object, want := range map[string][]cli.StateMember{
		`{}`: {}, ` { } `: {}, `[1]`: nil, `"a"`: nil, ``: nil, `{"a":1`: nil, `{"a":1}}`: nil,
		` { "b" : 1 , "a":"x,}\"{" } `: {{Name: "b", Value: json.RawMessage(`1`)}, {Name: "a", Value: json.RawMessage(`"x,}\"{"`)}},
		`{"":{"c":[1,{"d":2}],"e":3},"\u00e9\"":[],"한":null}`: {
			{Value: json.RawMessage(`{"c":[1,{"d":2}],"e":3}`)}, {Name: `é"`, Value: json.RawMessage(`[]`)}, {Name: "한", Value: json.RawMessage(`null`)},
		},
	} {
		got := cli.StateMembers([]byte(object))
		if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b cli.StateMember) bool { return a.Name == b.Name && string(a.Value) == string(b.Value) })); diff != "" {
			t.Errorf("%s (-want +got):\n%s", object, diff)
		}
	}
}
