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

// A text is no yes, no no and no nothing, whatever words it has: only the values true, false and null are shown as such.
func TestStateWords(t *testing.T) {
	t.Parallel()
	item := func(value string) string { return cli.StateText{}.Item([]byte(`{"name":"a","reason":` + value + `}`)) }
	for value, want := range map[string]string{
		`"no"`: "a  (reason no)", `"yes"`: "a  (reason yes)", `"none"`: "a  (reason none)", `"true"`: "a  (reason true)", `["no"]`: "a  (reason no)",
		`true`: "a  (reason)", `false`: "a", `null`: "a", `[]`: "a", `""`: "a", `{}`: "a", `0`: "a  (reason 0)",
	} {
		if got := item(value); got != want {
			t.Errorf("%s: got %q, want %q", value, got, want)
		}
	}
	if got := (cli.StateText{}).Item([]byte(`{"text":"a","ok":false,"session":"none"}`)); got != "a  (failed)" {
		t.Errorf("got %q", got)
	}
}
