package all_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"journal/journal/agents/transcript"
)

// TestMembersOfOtherTypes: no member of an unexpected type costs the row that has it, in the transcripts of any agent.
func TestMembersOfOtherTypes(t *testing.T) {
	t.Parallel()
	eachTranscript(t, func(format *transcript.Format, path string, b []byte) {
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
	})
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

// eachTranscript calls f with every recorded transcript of every agent.
func eachTranscript(t *testing.T, f func(format *transcript.Format, path string, b []byte)) {
	t.Helper()
	n := 0
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
			f(format, path, b)
			n++
		}
	}
	if n == 0 {
		t.Error("no transcript was found")
	}
}

// TestSpacedRows: rows give the same with white space between their tokens, as scripts write that move or merge transcripts.
func TestSpacedRows(t *testing.T) {
	t.Parallel()
	eachTranscript(t, func(format *transcript.Format, path string, b []byte) {
		var spaced bytes.Buffer
		for row := range bytes.Lines(b) {
			var indented bytes.Buffer
			if json.Indent(&indented, bytes.TrimSpace(row), "", " ") != nil {
				indented.Reset()
				indented.Write(bytes.TrimSpace(row))
			}
			spaced.Write(bytes.ReplaceAll(indented.Bytes(), []byte("\n"), []byte(" ")))
			spaced.WriteByte('\n')
		}
		want, got := summaryOf(t, format, path, b), summaryOf(t, format, path, spaced.Bytes())
		if want != got {
			t.Errorf("%s: with spaces\n%s\nwithout\n%s", path, got, want)
		}
	})
}

// summaryOf describes the head, the steps, while importing and while watching, and the requests of a transcript.
func summaryOf(t *testing.T, format *transcript.Format, path string, b []byte) string {
	t.Helper()
	head, err := format.Skim(path, bytes.NewReader(b))
	all := []any{head, err}
	r := format.Readers(nil)(bytes.NewReader(b), path)
	for {
		s, err := r.Next()
		if err != nil {
			break
		}
		all = append(all, s.What, s.Report.Hook.Kind, s.Report.Hook.Text)
	}
	if format.Watch != nil {
		w := format.Watch(path)
		for row := range bytes.Lines(b) {
			for _, s := range w.Parse(bytes.TrimSpace(row)) {
				all = append(all, "watched", s.What, s.Report.Hook.Kind)
			}
		}
	}
	for _, turn := range r.Usage.Turns() {
		all = append(all, turn.Model, turn.Requests, turn.Tokens)
	}
	return fmt.Sprintln(all...)
}
