package copilot_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"journal/cmd/testkit/agentstest"
	"journal/events"
	"journal/journal/agents/copilot"
	"journal/journal/wire"
	"journal/journal/wire/frame"
)

var read = agentstest.Reader(copilot.Dialect)

func samples(t testing.TB) []agentstest.Sample { return agentstest.Samples(t, "captured/*.json") }

// of returns a payload of one event with more members.
func of(t *testing.T, event string, members map[string]any) []byte {
	t.Helper()
	return agentstest.Payload(t, map[string]any{"session_id": "s-1", "hook_event_name": event, "cwd": "/home/dev/lighthouse"}, members)
}

// TestCopilotGolden: the meaning of each payload of the client.
func TestCopilotGolden(t *testing.T) {
	t.Parallel()
	agentstest.Goldens(t, samples(t), read)
}

// TestTranscriptOfStart: a start does not name its transcript; it is beside the folder of the hooks.
func TestTranscriptOfStart(t *testing.T) {
	t.Parallel()
	for hooks, want := range map[string]string{
		"/home/dev/.copilot/hooks": "/home/dev/.copilot/session-state/s-1/events.jsonl", "/w/.github/other": "", "": "", "hooks": "",
	} {
		env := agentstest.Env()
		env.Getenv = func(name string) string {
			if name == frame.CopilotHooks {
				return hooks
			}
			return ""
		}
		if h := copilot.Dialect.Read(bytes.NewReader(of(t, "SessionStart", map[string]any{"source": "new"})), env).Hook; h.Transcript != want {
			t.Errorf("%q: %q, want %q", hooks, h.Transcript, want)
		}
	}
}

// TestEnds: how commands end, and calls that were not allowed.
func TestEnds(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]events.ToolCall{
		"one\n<shellId: 12 completed with exit code 3>":                     {Failed: true, Exit: 3, Error: "one"},
		"<shellId: 0 completed with exit code 0>":                           {},
		"one\n<exited with exit code 128>":                                  {Failed: true, Exit: 128, Error: "one"},
		"<command with id: 17 exited with exit code 2>":                     {Failed: true, Exit: 2},
		"one <shellId: 4 completed with exit code 9>\n<shellId: 4 running>": {Output: "one <shellId: 4 completed with exit code 9>\n<shellId: 4 running>"},
		"FAIL\tpkg\t0.1s\n<shellId: 0 completed with exit code 0>":          {Output: "FAIL\tpkg\t0.1s", Mark: "FAIL\tpkg\t0.1s"},
	} {
		got := *read(of(t, "PostToolUse", map[string]any{
			"tool_name": "Bash", "tool_input": map[string]any{"command": "go test ./... | tail"},
			"tool_result": map[string]any{"result_type": "success", "text_result_for_llm": text},
		})).Hook.Tool
		if got.Failed != want.Failed || got.Exit != want.Exit || got.Error != want.Error || got.Output != want.Output || got.Mark != want.Mark {
			t.Errorf("%q: %+v", text, got)
		}
	}
	h := read(of(t, "PostToolUseFailure", map[string]any{"tool_name": "Bash", "tool_input": map[string]any{"command": "rm a"}, "error": "The user rejected this tool call."})).Hook
	if !h.Tool.Refused {
		t.Errorf("%+v", h.Tool)
	}
}

// TestAsked: what a person answered to a question and in a form, and a plan that the person approved.
func TestAsked(t *testing.T) {
	t.Parallel()
	form := map[string]any{"message": "Two things.", "requestedSchema": map[string]any{"properties": map[string]any{
		"store": map[string]any{"title": "Which store?"}, "size": map[string]any{"description": "How large?"}, "why": map[string]any{},
	}}}
	for _, c := range []struct {
		tool  string
		input map[string]any
		text  string
		want  []events.Answer
	}{
		{"AskUserQuestion", map[string]any{"question": "Which?"}, "User selected: one, two", []events.Answer{{Question: "Which?", Answer: "one, two"}}},
		{"AskUserQuestion", map[string]any{"message": "Which?"}, "User responded: both", []events.Answer{{Question: "Which?", Answer: "both"}}},
		{"AskUserQuestion", map[string]any{"question": "Name?"}, "User response (freeform): dev", []events.Answer{{Question: "Name?", Answer: "dev"}}},
		{"AskUserQuestion", form, "User responded: store=SQLite, or size=1, size=small", []events.Answer{{Question: "How large?", Answer: "small"}, {Question: "Which store?", Answer: "SQLite, or size=1"}}},
		{"AskUserQuestion", form, "User responded: whatever you like", []events.Answer{{Question: "Two things.", Answer: "whatever you like"}}},
		{"AskUserQuestion", map[string]any{"question": "Which?"}, "User skipped the question", nil},
	} {
		h := read(of(t, "PostToolUse", map[string]any{
			"tool_name": c.tool, "tool_input": c.input, "tool_result": map[string]any{"result_type": "success", "text_result_for_llm": c.text},
		})).Hook
		slices.SortFunc(h.Tool.Answers, func(a, b events.Answer) int { return strings.Compare(a.Question, b.Question) })
		if !slices.Equal(h.Tool.Answers, c.want) {
			t.Errorf("%s: %q, want %q", c.text, h.Tool.Answers, c.want)
		}
	}
	for text, want := range map[string]events.Action{
		"Plan approved! Exited plan mode.\n\nYou are now in interactive mode.": events.OfferPlan, "The user wants changes: smaller": events.OtherTool,
	} {
		h := read(of(t, "PostToolUse", map[string]any{
			"tool_name": "exit_plan_mode", "tool_input": map[string]any{"summary": "- walls"}, "tool_result": map[string]any{"result_type": "success", "text_result_for_llm": text},
		})).Hook
		if h.Tool.Action != want || want == events.OfferPlan && h.Tool.Plan != "- walls" {
			t.Errorf("%s: %+v", text, h.Tool)
		}
	}
}

// TestWordsAtEnd: the hook at the end of a turn has no words; the session's file ends with them.
func TestWordsAtEnd(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "events.jsonl")
	for rows, want := range map[string]string{
		`{"type":"user.message","data":{"content":"build"}}
{"type":"assistant.message","data":{"content":"Built."}}
{"type":"assistant.message","agentId":"a","data":{"content":"Counted."}}
{"type":"assistant.turn_end","data":{}}
`: "Built.",
		`{"type":"assistant.message","data":{"content":"Built."}}
{"type":"user.message","data":{"content":"more"}}
{"type":"assistant.message","data":{"content":""}}
`: "",
		"broken\n": "",
	} {
		if err := os.WriteFile(path, []byte(rows), 0o600); err != nil {
			t.Fatal(err)
		}
		if h := read(of(t, "Stop", map[string]any{"transcript_path": path})).Hook; h.Text != want {
			t.Errorf("%s: %q, want %q", rows, h.Text, want)
		}
	}
	if h := read(of(t, "Stop", map[string]any{"transcript_path": path + ".missing"})).Hook; h.Text != "" || h.Kind != events.TurnEnd {
		t.Errorf("%+v", h)
	}
}

// TestOwed: no start follows a compaction, and a resumed session still has its texts.
func TestOwed(t *testing.T) {
	t.Parallel()
	for native, want := range map[string]string{"SessionStart": wire.StartText, "UserPromptSubmit": wire.DueText, "PreCompact": "", "Stop": ""} {
		if rep := read(of(t, native, map[string]any{"source": "new", "prompt": "x"})); rep.AnswerKind != want {
			t.Errorf("%s is owed %q, want %q", native, rep.AnswerKind, want)
		}
	}
	if rep := read(of(t, "SessionStart", map[string]any{"source": "resume"})); rep.AnswerKind != "" {
		t.Errorf("a resume is owed %q", rep.AnswerKind)
	}
	for native, want := range map[string]string{"UserPromptSubmit": `{"additionalContext":"x"}` + "\n", "Stop": "", "PreCompact": ""} {
		if got := string(copilot.Dialect.Answer(read(of(t, native, nil)).Hook, wire.ToModel, "x")); got != want {
			t.Errorf("%s prints %q", native, got)
		}
	}
}

func FuzzCopilot(f *testing.F) {
	for _, s := range samples(f) {
		f.Add(s.Body)
	}
	f.Add([]byte(`{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":[],"tool_result":[]}`))
	f.Fuzz(func(t *testing.T, body []byte) { agentstest.Sound(t, read, body) })
}
