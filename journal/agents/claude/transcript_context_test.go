package claude_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"journal/journal/agents/claude"
	"journal/journal/agents/transcript"
)

// written writes a file with rows of a client's transcript.
func written(t testing.TB, rows ...any) string {
	t.Helper()
	var b strings.Builder
	for _, r := range rows {
		if s, ok := r.(string); ok {
			b.WriteString(s + "\n")
			continue
		}
		row, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(row, '\n'))
	}
	path := filepath.Join(t.TempDir(), "transcript.jsonl")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

type row = map[string]any

func boundary(id string, kept ...string) row {
	return row{"type": "system", "subtype": "compact_boundary", "uuid": id, "compactMetadata": row{"preservedMessages": row{"uuids": kept}}}
}

func added(text ...string) row {
	return row{"type": "attachment", "attachment": row{"type": "hook_additional_context", "hookEvent": "SessionStart", "content": text}}
}

// TestClaudeReceipts: what a transcript shows of the contexts after its compactions: the texts that arrived, whole or
// moved into a file, and what the client kept (ADR-0010).
func TestClaudeReceipts(t *testing.T) {
	t.Parallel()
	path := written(t,
		row{"type": "user", "uuid": "u1", "message": row{"role": "user", "content": "이것을 고쳐 주세요"}},
		row{"type": "assistant", "uuid": "a1", "message": row{"content": []row{{"type": "text", "text": "yes"}, {"type": "tool_use", "id": "toolu_1"}}}},
		row{"type": "user", "uuid": "r1", "message": row{"content": []row{{"type": "tool_result", "tool_use_id": "toolu_1"}}}},
		row{"type": "user", "uuid": "s1", "isSidechain": true, "message": row{"content": "a subagent's task"}},
		added("before any compaction"),
		boundary("b1", "u1", "r1", "gone"),
		row{"type": "user", "uuid": "sum", "isCompactSummary": true, "message": row{"content": "summary"}},
		row{"type": "attachment", "attachment": row{"type": "file", "filename": "/p/main.go", "content": row{}}},
		added("# Journal", "another hook's"),
		row{"type": "attachment", "attachment": row{"type": "hook_additional_context", "hookEvent": "UserPromptSubmit", "content": []string{"a notice"}}},
		`{"type":"attachment","torn`,
		strings.Repeat("x", 9<<20),
		boundary("b2"),
		added("<persisted-output>\nOutput too large (12KB). Full output saved to: /p/tool-results/hook-1.txt\n\nPreview (first 2KB):\n# Journal\nline\n...\n</persisted-output>"),
	)
	want := []transcript.Context{
		{Boundary: "b1", Texts: []string{"# Journal", "another hook's"}, Prompts: []string{"이것을 고쳐 주세요"}, Uses: []string{"toolu_1"}, Files: []string{"/p/main.go"}},
		{Boundary: "b2", Spilled: []transcript.Spill{{Path: "/p/tool-results/hook-1.txt", Preview: "# Journal\nline\n"}}},
	}
	d, err := transcript.Named(claude.Name)
	if err != nil {
		t.Fatal(err)
	}
	got, err := d.Contexts(path, "")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("receipts (-want +got):\n%s", diff)
	}
	for _, none := range []string{filepath.Join(t.TempDir(), "gone"), t.TempDir(), os.DevNull} {
		if _, err := d.Contexts(none, ""); err == nil {
			t.Errorf("%s gives no error", none)
		}
	}
}

// TestKeptSegment: a segment of which the client names only the ends reaches over answers without calls and rows of the
// client's own, in imports and live.
func TestKeptSegment(t *testing.T) {
	t.Parallel()
	chained := func(uuid, parent string, r row) row {
		r["uuid"], r["parentUuid"], r["sessionId"], r["timestamp"] = uuid, parent, "s", "2026-11-27T09:00:00Z"
		return r
	}
	said := func(text string) row { return row{"content": []row{{"type": "text", "text": text}}} }
	for name, tail := range map[string]string{"one turn": "a2", "two turns": "a3"} {
		rows := []any{
			chained("u1", "", row{"type": "user", "message": row{"content": "build the mill"}}),
			chained("a1", "u1", row{"type": "assistant", "message": said("Built.")}),
			chained("u2", "a1", row{"type": "user", "message": row{"content": "never paint it"}}),
			chained("a2", "u2", row{"type": "assistant", "message": said("It stays raw.")}),
			chained("d2", "a2", row{"type": "system", "subtype": "turn_duration"}),
			chained("u3", "d2", row{"type": "user", "message": row{"content": "nor oil it"}}),
			chained("a3", "u3", row{"type": "assistant", "message": said("No oil.")}),
			chained("b", "a3", row{"type": "system", "subtype": "compact_boundary", "compactMetadata": row{"preservedSegment": row{"headUuid": "u2", "tailUuid": tail}}}),
		}
		want := []string{"never paint it", "nor oil it"}[:map[string]int{"a2": 1, "a3": 2}[tail]]
		d, err := transcript.Named(claude.Name)
		if err != nil {
			t.Fatal(err)
		}
		path := written(t, rows...)
		got, err := d.Contexts(path, "")
		if err != nil || len(got) != 1 || !cmp.Equal(got[0].Prompts, want) {
			t.Errorf("%s, read later: %+v, %v", name, got, err)
		}
		w := d.Watch(path)
		for _, r := range rows {
			b, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			w.Parse(b)
		}
		if newest, _ := w.Context(); !cmp.Equal(newest.Prompts, want) {
			t.Errorf("%s, watched: %+v", name, newest)
		}
	}
}

func FuzzClaudeReceipts(f *testing.F) {
	f.Add([]byte(`{"type":"system","subtype":"compact_boundary","uuid":"b","compactMetadata":{"preservedMessages":{"uuids":["u"]}}}` + "\n" +
		`{"type":"attachment","attachment":{"type":"hook_additional_context","hookEvent":"SessionStart","content":["<persisted-output>saved to: x\nPreview\n..."]}}`))
	f.Add([]byte(`{"type":"user","uuid":"u","message":{"content":[{"type":"text","text":"x"}]}}`))
	d, err := transcript.Named(claude.Name)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(t.TempDir(), "t")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Contexts(path, ""); err != nil {
			t.Errorf("rows that are no rows are an error: %v", err)
		}
	})
}
