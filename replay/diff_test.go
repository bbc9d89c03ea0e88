package replay_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"journal/replay"
)

// TestDiff: the changes between two states; items of lists are matched by identity.
func TestDiff(t *testing.T) {
	t.Parallel()
	type todo struct {
		Text   string `json:"text"`
		Status string `json:"status"`
		Seq    int    `json:"seq"`
	}
	type state struct {
		Count int      `json:"count"`
		Note  string   `json:"note,omitempty"`
		Todos []todo   `json:"todos"`
		Names []string `json:"names,omitempty"`
	}
	for name, tc := range map[string]struct {
		from, to state
		want     []replay.Change
	}{
		"equal":            {state{Count: 1}, state{Count: 1}, []replay.Change{}},
		"no list is empty": {state{Todos: nil}, state{Todos: []todo{}}, []replay.Change{}},
		"a member": {state{Count: 1}, state{Count: 2, Note: "x"}, []replay.Change{
			{Op: "change", Path: "count", From: json.RawMessage("1"), To: json.RawMessage("2")},
			{Op: "add", Path: "note", To: json.RawMessage(`"x"`)},
		}},
		"items that moved": {
			state{Todos: []todo{{"write", "pending", 1}, {"test", "pending", 2}}},
			state{Todos: []todo{{"test", "completed", 2}, {"문서", "pending", 3}, {"write", "pending", 1}}},
			[]replay.Change{
				{Op: "change", Path: "todos[test].status", From: json.RawMessage(`"pending"`), To: json.RawMessage(`"completed"`), Item: json.RawMessage(`{"seq":2,"status":"completed","text":"test"}`)},
				{Op: "add", Path: "todos[문서]", To: json.RawMessage(`{"seq":3,"status":"pending","text":"문서"}`)},
			},
		},
		"an item that is gone": {state{Todos: []todo{{"write", "pending", 1}}}, state{}, []replay.Change{
			{Op: "remove", Path: "todos[write]", From: json.RawMessage(`{"seq":1,"status":"pending","text":"write"}`)},
		}},
		"equal items": {state{Names: []string{"a", "a"}}, state{Names: []string{"a"}}, []replay.Change{
			{Op: "remove", Path: `names["a" (2)]`, From: json.RawMessage(`"a"`)},
		}},
		"an item with the name of a repeated one": {
			state{Todos: []todo{{Text: "a (2)"}}}, state{Todos: []todo{{Text: "a (2)"}, {Text: "a"}, {Text: "a"}}}, []replay.Change{
				{Op: "add", Path: "todos[a]", To: json.RawMessage(`{"seq":0,"status":"","text":"a"}`)},
				{Op: "add", Path: "todos[a (3)]", To: json.RawMessage(`{"seq":0,"status":"","text":"a"}`)},
			},
		},
	} {
		got, err := replay.Diff(tc.from, tc.to)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	// A value that changes its type changes as a whole.
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	for _, tc := range []struct{ from, to, op string }{
		{`"x"`, `["x"]`, "change"}, {`["x"]`, `"x"`, "change"}, {`{"a":1}`, `["a"]`, "change"}, {`["a"]`, `{"a":1}`, "change"},
		{`1`, `{"a":1}`, "change"}, {`null`, `1`, "change"}, {`1`, `null`, "change"},
	} {
		got, err := replay.Diff(map[string]any{"k": raw(tc.from), "same": raw(tc.to)}, map[string]any{"k": raw(tc.to), "same": raw(tc.to)})
		want := []replay.Change{{Op: tc.op, Path: "k", From: raw(tc.from), To: raw(tc.to)}}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s to %s, %v (-want +got):\n%s", tc.from, tc.to, err, diff)
		}
	}
	// Empty values do not exist: they are neither added nor removed.
	for _, way := range [][2]string{{`{"a":[],"b":null}`, `{}`}, {`{}`, `{"a":[],"b":null}`}, {`[]`, `null`}} {
		if got, err := replay.Diff(raw(way[0]), raw(way[1])); err != nil || len(got) != 0 {
			t.Errorf("%s to %s: %v, %v", way[0], way[1], got, err)
		}
	}
	// An item without an identity is named by its content, cut if long.
	long := `{"other":"` + strings.Repeat("가", 40) + `"}`
	got, err := replay.Diff(raw(`[{"seq":7},{"text":"","name":"n"}]`), raw(`[{"ok":true},`+long+`]`))
	var paths []string
	for _, c := range got {
		paths = append(paths, c.Op+" "+c.Path)
	}
	if diff := cmp.Diff([]string{"remove [#7]", "remove [n]", `add [{"ok":true}]`, `add [{"other":"` + strings.Repeat("가", 23) + "…]"}, paths); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if _, err := replay.Diff(1, make(chan int)); err == nil {
		t.Error("no state has a difference to one without JSON")
	}
	if _, err := replay.Diff(make(chan int), 1); err == nil {
		t.Error("a state without JSON has no difference")
	}
}

// TestDiffLaws: two states differ exactly if there are changes, and the way back is as long.
func TestDiffLaws(t *testing.T) {
	t.Parallel()
	value := rapid.Custom(func(t *rapid.T) any {
		item := rapid.MapOfN(rapid.SampledFrom([]string{"text", "seq", "ok"}), rapid.Just[any]("x"), 0, 3)
		return map[string]any{
			"n": rapid.IntRange(0, 3).Draw(t, "n"), "list": rapid.SliceOfN(item, 1, 4).Draw(t, "list"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := value.Draw(t, "a"), value.Draw(t, "b")
		there, err := replay.Diff(a, b)
		if err != nil {
			t.Fatal(err)
		}
		back, err := replay.Diff(b, a)
		if err != nil {
			t.Fatal(err)
		}
		if len(there) != len(back) {
			t.Fatalf("%d differences there, %d back", len(there), len(back))
		}
		same, err := replay.Diff(a, a)
		if err != nil || len(same) != 0 {
			t.Fatalf("%v differs from itself: %v", a, same)
		}
	})
}

// TestDiffStates: of several projections only the changed ones are listed, by name.
func TestDiffStates(t *testing.T) {
	t.Parallel()
	from := map[string]any{"same": []int{1}, "other": 1, "gone": 1}
	got, err := replay.DiffStates(from, map[string]any{"same": []int{1}, "other": 2, "new": 3, "none": nil})
	want := map[string][]replay.Change{
		"other": {{Op: "change", From: json.RawMessage("1"), To: json.RawMessage("2")}},
		"new":   {{Op: "change", From: json.RawMessage("null"), To: json.RawMessage("3")}},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if got, err := replay.DiffStates(nil, map[string]any{"bad": make(chan int)}); err == nil || got != nil || !strings.HasPrefix(err.Error(), "bad: ") {
		t.Errorf("of what has no JSON: %v, %v", got, err)
	}
}
