package claude_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"journal/events"
	"journal/journal/agents/claude"
	"journal/journal/agents/transcript"
)

// TestClaudeUsageOfTranscript: the usage of a headless session comes from the end of its transcript: from the newest
// answer of the main lane since the last compaction (docs/CLIENTS.md §10).
func TestClaudeUsageOfTranscript(t *testing.T) {
	t.Parallel()
	answer := func(model string, input, creation, read int, more string) string {
		return fmt.Sprintf(`{"type":"assistant",%s"message":{"model":%q,"usage":{"input_tokens":%d,"cache_creation_input_tokens":%d,"cache_read_input_tokens":%d,"output_tokens":7}}}`,
			more, model, input, creation, read) + "\n"
	}
	const (
		user     = `{"type":"user","message":{"content":"what is \"usage\"?"}}` + "\n"
		boundary = `{"type":"system","subtype":"compact_boundary"}` + "\n"
	)
	padding := `{"type":"attachment","content":"` + strings.Repeat("y", 60<<10) + `"}` + "\n"
	newest := answer("m", 10, 200, 3000, "")
	tests := []struct {
		name, transcript string
		tokens           int64 // 0: unknown
	}{
		{"newest of two", answer("old", 1, 1, 1, "") + user + newest + user, 3210},
		{"only row", newest, 3210},
		{"row of a subagent behind it", newest + answer("m", 9, 9, 9, `"isSidechain":true,`), 3210},
		{"torn last row", newest + `{"type":"assistant","message":{"usa`, 3210},
		{"no newline at the end", strings.TrimSuffix(newest, "\n"), 3210},
		{"long rows behind it", newest + strings.Repeat(padding, 7), 3210},
		{"beyond the tail", newest + strings.Repeat(padding, 9), 0},
		{"before a compaction", newest + boundary + user, 0},
		{"after a compaction", answer("m", 9, 9, 9, "") + boundary + newest, 3210},
		{"no answer yet", user, 0},
		{"empty", "", 0},
		{"empty lines", "\n\n\n", 0},
		{"no transcript", "\x00\x01 usage", 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "t.jsonl")
			if err := os.WriteFile(path, []byte(test.transcript), 0o600); err != nil {
				t.Fatal(err)
			}
			got := sampled(t, path, "sdk-cli")
			switch {
			case test.tokens == 0 && got != nil:
				t.Errorf("got %+v of nothing", got)
			case test.tokens != 0 && (got == nil || got.Tokens != test.tokens || got.Model != "m"):
				t.Errorf("got %+v, want %d tokens of m", got, test.tokens)
			}
		})
	}
	path := filepath.Join(t.TempDir(), "t.jsonl")
	if err := os.WriteFile(path, []byte(answer(strings.Repeat("m", 300), 1, 0, 0, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := sampled(t, path, "sdk-cli"); got == nil || got.Model != "" {
		t.Errorf("model of 300 bytes: %+v", got)
	}
	for _, entry := range []string{"cli", ""} {
		if got := sampled(t, path, entry); got != nil {
			t.Errorf("entry point %q has a statusline, and got %+v", entry, got)
		}
	}
	for _, path := range []string{t.TempDir(), filepath.Join(t.TempDir(), "gone"), ""} {
		if got := sampled(t, path, "sdk-cli"); got != nil {
			t.Errorf("got %+v of %q", got, path)
		}
	}
}

// sampled returns the sample that a prompt brings, nil for none.
func sampled(t *testing.T, transcript, entry string) *events.UsageSampled {
	t.Helper()
	body := payloadWith(t, "UserPromptSubmit", map[string]any{"prompt": "go on", "transcript_path": transcript})
	rep := dialect(t).Read(bytes.NewReader(body), env("CLAUDE_CODE_ENTRYPOINT", entry))
	var sample *events.UsageSampled
	prompts := 0
	for _, e := range events.Recognise(rep.Hook) {
		switch e := e.(type) {
		case events.UsageSampled:
			sample = &e
		case events.PromptSubmitted:
			prompts++
		}
	}
	if prompts != 1 {
		t.Errorf("%d prompts", prompts)
	}
	return sample
}

// TestUsageAfter: the offset after which the requests count is one of the session's transcript, and of no subagent's, also if the
// transcript is gone.
func TestUsageAfter(t *testing.T) {
	t.Parallel()
	format, err := transcript.Named("claude")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "s1.jsonl")
	below := strings.TrimSuffix(path, ".jsonl")
	if err := os.MkdirAll(filepath.Join(below, "subagents"), 0o700); err != nil {
		t.Fatal(err)
	}
	for file, row := range map[string]string{
		path: `"uuid":"a1"`,
		filepath.Join(below, "subagents", "agent-x.jsonl"): `"uuid":"a2","isSidechain":true,"agentId":"x"`,
	} {
		row = `{"type":"user","sessionId":"s1","timestamp":"2099-03-01T10:00:01Z","promptId":"p",` + row + `,"message":{"content":"build it"}}
{"type":"assistant","sessionId":"s1","timestamp":"2099-03-01T10:00:02Z",` + row + `,"message":{"id":"m","model":"m","usage":{"input_tokens":1}}}
`
		if err := os.WriteFile(file, []byte(row), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, gone := range []bool{false, true} {
		if gone {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
		turns, err := format.UsageOf(format.At(t.Context(), "s1", path, below), &transcript.Seen{}, path, 1<<20, time.Time{})
		if err != nil || len(turns) != 1 || turns[0].Lane != "x" {
			t.Errorf("gone %v: %d turns, %v", gone, len(turns), err)
		}
	}
}

// TestWindows: a model has no window here if it depends on an option: with the option, half of the context looks full.
func TestWindows(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]int64{
		"claude-opus-4-20250514": 200_000, "claude-opus-4-1-20250805": 200_000, "claude-opus-4-5-20251101": 200_000, "claude-opus-5": 1_000_000,
		"claude-opus-4-6": 0, "claude-opus-4-7": 0, "claude-opus-4-8": 0, "claude-sonnet-4-6": 0,
	} {
		var got int64
		for prefix, window := range claude.Dialect.Windows {
			if strings.HasPrefix(model, prefix) {
				got = window
			}
		}
		if got != want {
			t.Errorf("%s has a window of %d, want %d", model, got, want)
		}
	}
}
