package claude_test

import (
	"bytes"
	"testing"

	"journal/events"
)

// BenchmarkClaudeRead: Read is on the hot path of every hook process, once.
func BenchmarkClaudeRead(b *testing.B) {
	command := payloadWith(b, "PostToolUse", map[string]any{
		"prompt_id": "8a10e45a-6584-4a9e-9c95-289bf03119b4", "permission_mode": "default", "tool_name": "Bash",
		"tool_use_id": "toolu_4d05f5c4145946b280260f5b", "duration_ms": 812,
		"tool_input":    map[string]any{"command": "go test ./... 2>&1 | tail -30", "description": "Run the tests"},
		"tool_response": map[string]any{"stdout": prose(1500), "stderr": "", "interrupted": false, "isImage": false},
	})
	for _, bench := range []struct {
		name string
		body []byte
	}{
		{"2KB", command},
		{"600KB", bigWrite(b, prose(300<<10))},
	} {
		b.Run(bench.name, func(b *testing.B) {
			d, env := dialect(b), env()
			b.ReportAllocs()
			b.SetBytes(int64(len(bench.body)))
			for b.Loop() {
				if rep := d.Read(bytes.NewReader(bench.body), env); rep.Hook.Broken != "" {
					b.Fatal(rep.Hook.Broken)
				}
			}
		})
	}
	rep := dialect(b).Read(bytes.NewReader(command), env())
	b.Run("Recognise", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if len(events.Recognise(rep.Hook)) != 1 {
				b.Fatal("no event")
			}
		}
	})
}
