package all_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"journal/journal/agents/transcript"
)

// TestMembersOfOtherTypes: no member of an unexpected type costs the row that has it, in the transcripts of any agent.
func TestMembersOfOtherTypes(t *testing.T) {
	t.Parallel()
	for _, agent := range transcript.Agents() {
		format, err := transcript.Named(agent)
		if err != nil {
			t.Fatal(err)
		}
		paths, _ := filepath.Glob("../" + agent + "/testdata/transcripts/*.jsonl")
		for _, path := range paths {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			rows := bytes.Split(bytes.TrimSpace(b), []byte("\n"))
			done := map[string]bool{}
			for i, row := range rows {
				for at, changed := range changes(t, row) {
					if done[at] {
						continue
					}
					done[at] = true
					p := format.Begin()("x.jsonl")
					for _, before := range rows[:i] {
						_ = p.Row(before) // some are broken on purpose
					}
					if err := p.Row(changed); err != nil && p.Row(row) == nil {
						t.Errorf("%s, row %d, %s: %v", path, i+1, at, err)
					}
				}
			}
		}
	}
}

// changes returns a row once for each of its members and each kind of value, by the member's path and the kind. The member has a value of
// this kind. A broken row has no members.
func changes(t *testing.T, row []byte) map[string][]byte {
	t.Helper()
	var doc map[string]any
	all := map[string][]byte{}
	if json.Unmarshal(row, &doc) != nil {
		return all
	}
	kind, _ := doc["type"].(string)
	var visit func(path string, v any, set func(any))
	visit = func(path string, v any, set func(any)) {
		for name, other := range map[string]any{"null": nil, "number": 7.5, "text": "odd", "object": map[string]any{"a": 1}, "list": []any{"odd"}} {
			set(other)
			b, err := json.Marshal(doc)
			if err != nil {
				t.Fatal(err)
			}
			all[path+" is "+name] = b
		}
		set(v)
		switch v := v.(type) {
		case map[string]any:
			for name, member := range v {
				visit(path+"."+name, member, func(x any) { v[name] = x })
			}
		case []any:
			if len(v) > 0 {
				visit(path+"[]", v[0], func(x any) { v[0] = x })
			}
		}
	}
	for name, member := range doc {
		visit(kind+": "+name, member, func(x any) { doc[name] = x })
	}
	return all
}
