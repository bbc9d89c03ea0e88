package payload_test

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"journal/journal/agents/payload"
)

// hookInput returns a payload like that of a hook after an edit, about size bytes.
func hookInput(tb testing.TB, size int) []byte {
	tb.Helper()
	text := strings.Repeat("func main() {\n\tfmt.Println(\"value\", x)\n}\n", max(1, (size-900)/2/44))
	b, err := json.Marshal(map[string]any{
		"session_id":      "6c1fb4a5-6c3e-4b7e-9a57-0d5ad5a7c7a1",
		"transcript_path": "/home/dev/.claude/projects/-home-dev-app/6c1fb4a5.jsonl",
		"cwd":             "/home/dev/app",
		"prompt_id":       "0b0c98a5-9d8a-4a63-93a2-bb24bbd6f9c3",
		"permission_mode": "auto",
		"effort":          map[string]any{"level": "high"},
		"hook_event_name": "PostToolUse",
		"tool_name":       "Write",
		"tool_use_id":     "toolu_01Ab",
		"duration_ms":     12,
		"tool_input":      map[string]any{"file_path": "/home/dev/app/main.go", "content": text},
		"tool_response": map[string]any{
			"type": "create", "filePath": "/home/dev/app/main.go", "content": text,
			"structuredPatch": []any{map[string]any{"oldStart": 1, "newStart": 1, "lines": []any{" a", "-b", "+c"}}},
		},
	})
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func benchmarkRead(b *testing.B, in []byte) {
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	for b.Loop() {
		v, err := payload.Read(bytes.NewReader(in), payload.Limits{})
		if err != nil || !v.Get("session_id").Exists() {
			b.Fatal(err)
		}
	}
}

func BenchmarkRead2KB(b *testing.B)   { benchmarkRead(b, hookInput(b, 2<<10)) }
func BenchmarkRead600KB(b *testing.B) { benchmarkRead(b, hookInput(b, 600<<10)) }

func BenchmarkRead100MB(b *testing.B) {
	in := []byte(`{"tool_response":"` + strings.Repeat("0123456789 abcdef", 100<<20/17) + `","session_id":"s"}`)
	benchmarkRead(b, in)
}

func BenchmarkRead100MBKorean(b *testing.B) {
	in := []byte(`{"tool_response":"` + strings.Repeat("파일을 읽었다. ", 100<<20/21) + `","session_id":"s"}`)
	benchmarkRead(b, in)
}

func BenchmarkClean600KB(b *testing.B) {
	in := hookInput(b, 600<<10)
	v, err := payload.Read(bytes.NewReader(in), payload.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := io.Discard.Write(v.Clean(nil).JSON()); err != nil {
			b.Fatal(err)
		}
	}
}
