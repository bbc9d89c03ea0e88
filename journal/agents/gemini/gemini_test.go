package gemini_test

import (
	"strings"
	"testing"

	"journal/cmd/testkit/agentstest"
	"journal/events"
	"journal/journal/agents/gemini"
	"journal/journal/wire"
)

var read = agentstest.Reader(gemini.Dialect)

func samples(t testing.TB) []agentstest.Sample { return agentstest.Samples(t, "*/*.json") }

// of returns a payload of one event with more members.
func of(t *testing.T, event string, members map[string]any) []byte {
	t.Helper()
	return agentstest.Payload(t, map[string]any{"session_id": "s-1", "hook_event_name": event, "cwd": "/home/dev/project", "timestamp": "2026-11-20T16:06:02.060Z"}, members)
}

// TestGeminiGolden: the meaning of each payload of the client.
func TestGeminiGolden(t *testing.T) {
	t.Parallel()
	agentstest.Goldens(t, samples(t), read)
}

// TestTyped: texts that hooks put in front of a prompt, including ours, are nobody's words.
func TestTyped(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"create two files": "create two files",
		"<hook_context>INJ-1</hook_context>\n\ncreate two files":                        "create two files",
		"<hook_context>one</hook_context>\n<hook_context>two</hook_context>\n\nmake it": "make it",
		"what is <hook_context>?": "what is <hook_context>?",
		"<hook_context>cut off":   "",
		"<hook_context>a &lt;b&gt;</hook_context>\n\n<hook_context> is what I want to know": "",
	} {
		if h := read(of(t, "BeforeAgent", map[string]any{"prompt": given})).Hook; h.Text != want {
			t.Errorf("%q: %q, want %q", given, h.Text, want)
		}
	}
}

// TestCommandOutcome: the text about a command says how it ended.
func TestCommandOutcome(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		said   string
		output string
		exit   int
		failed bool
	}{
		{"<untrusted_context>\nOutput: hello\nProcess Group PGID: 11137\n</untrusted_context>", "hello", 0, false},
		{"<untrusted_context>\nOutput: oops\nand more\nExit Code: 3\nProcess Group PGID: 1\n</untrusted_context>", "oops\nand more", 3, true},
		{"<untrusted_context>\nOutput: (empty)\nProcess Group PGID: 1\n</untrusted_context>", "", 0, false},
		{"Output: Exit Code: 9\nProcess Group PGID: 1", "Exit Code: 9", 0, false},
		{"Output: FAIL\tpkg\t0.1s\nProcess Group PGID: 1", "FAIL\tpkg\t0.1s", 0, false},
	} {
		rep := read(of(t, "AfterTool", map[string]any{
			"tool_name": "run_shell_command", "tool_input": map[string]any{"command": "go test ./... | tail"}, "tool_response": map[string]any{"llmContent": c.said},
		}))
		e := agentstest.Recognised[events.CommandRan](t, rep)
		if e.Failed != c.failed || e.Exit != c.exit || e.Output+e.Error != c.output {
			t.Errorf("%q: %+v", c.said, e)
		}
		if marked := strings.HasPrefix(c.output, "FAIL"); marked != (e.Mark != "") {
			t.Errorf("%q: mark %q", c.said, e.Mark)
		}
		if (rep.AnswerKind == "") != c.failed {
			t.Errorf("%q: owed %q", c.said, rep.AnswerKind)
		}
	}
}

// TestCompressions: an automatic PreCompress precedes every request and means nothing.
func TestCompressions(t *testing.T) {
	t.Parallel()
	if rep := read(of(t, "PreCompress", map[string]any{"trigger": "auto"})); rep.Hook.Kind != events.Other || rep.AnswerKind != "" {
		t.Errorf("auto: %+v", rep)
	}
	if rep := read(of(t, "PreCompress", map[string]any{"trigger": "manual"})); rep.Hook.Kind != events.CompactIntent {
		t.Errorf("manual: %+v", rep)
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	h := read(of(t, "BeforeAgent", map[string]any{"prompt": "x"})).Hook
	want := `{"hookSpecificOutput":{"hookEventName":"BeforeAgent","additionalContext":"<b> & \"c\""}}` + "\n"
	if got := string(gemini.Dialect.Answer(h, wire.ToModel, `<b> & "c"`)); got != want {
		t.Errorf("got %s", got)
	}
	if got := string(gemini.Dialect.Answer(h, wire.ToPerson, "x")); got != `{"systemMessage":"x"}`+"\n" {
		t.Errorf("got %s", got)
	}
	for _, native := range []string{"AfterAgent", "PreCompress", "BeforeTool", "SessionEnd"} {
		if got := gemini.Dialect.Answer(read(of(t, native, nil)).Hook, wire.ToModel, "x"); got != nil {
			t.Errorf("%s prints %s", native, got)
		}
	}
	if rep := read(of(t, "SessionStart", map[string]any{"source": "resume"})); rep.AnswerKind != "" {
		t.Errorf("a start is owed %s: the client drops the first prompt for it", rep.AnswerKind)
	}
}

func FuzzGemini(f *testing.F) {
	for _, s := range samples(f) {
		f.Add(s.Body)
	}
	f.Add([]byte(`{"hook_event_name":"AfterTool","tool_name":"write_todos","tool_input":{"todos":{}},"tool_response":[]}`))
	f.Fuzz(func(t *testing.T, body []byte) { agentstest.Sound(t, read, body) })
}
