package qwen_test

import (
	"strings"
	"testing"

	"journal/cmd/testkit/agentstest"
	"journal/events"
	"journal/journal/agents/qwen"
	"journal/journal/wire"
)

var read = agentstest.Reader(qwen.Dialect)

func samples(t testing.TB) []agentstest.Sample { return agentstest.Samples(t, "captured/*.json") }

// of returns a payload of one event with more members.
func of(t *testing.T, event string, members map[string]any) []byte {
	t.Helper()
	return agentstest.Payload(t, map[string]any{"session_id": "s-1", "hook_event_name": event, "cwd": "/home/dev/lighthouse", "timestamp": "2026-11-29T08:38:02.060Z"}, members)
}

// TestQwenGolden: the meaning of each payload of the client.
func TestQwenGolden(t *testing.T) {
	t.Parallel()
	agentstest.Goldens(t, samples(t), read)
}

// TestPrompts: the client calls the hook of prompts for results of tools, too, and what it sends is more than the person typed.
func TestPrompts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		members map[string]any
		kind    events.HookKind
		text    string
		machine bool
	}{
		{map[string]any{"prompt": ""}, events.Nothing, "", false},
		{map[string]any{"prompt": "Set up QWEN.md. Read the files …", "submitted_prompt": "/init"}, events.PromptSubmit, "/init", false},
		{map[string]any{"prompt": "build it"}, events.PromptSubmit, "build it", false},
		{map[string]any{"prompt": "what is <task-notification>?"}, events.PromptSubmit, "what is <task-notification>?", false},
		{map[string]any{"prompt": "<task-notification>\n<task-id>bg_1</task-id>\n<status>completed</status>\n</task-notification>"}, events.PromptSubmit,
			"<task-notification>\n<task-id>bg_1</task-id>\n<status>completed</status>\n</task-notification>", true},
		{map[string]any{"prompt": "count them", "agent_id": "explore-call_1"}, events.PromptSubmit, "count them", true},
	} {
		h := read(of(t, "UserPromptSubmit", c.members)).Hook
		if h.Kind != c.kind || h.Kind != events.Nothing && h.Text != c.text || h.Machine != c.machine {
			t.Errorf("%v: %s %q machine %v", c.members, h.Kind, h.Text, h.Machine)
		}
	}
}

// TestAsked: the model is shown answers under the headers of their questions.
func TestAsked(t *testing.T) {
	t.Parallel()
	questions := []any{
		map[string]any{"question": "Which stone?", "header": "Stone"},
		map[string]any{"question": "Which colour?", "header": "Colour"},
	}
	call := func(said string) events.Hook {
		return read(of(t, "PostToolUse", map[string]any{
			"tool_name": "ask_user_question", "tool_call_id": "c", "tool_input": map[string]any{"questions": questions},
			"tool_response": map[string]any{"llmContent": said, "returnDisplay": said},
		})).Hook
	}
	h := call("User has provided the following answers:\n\n**Stone**: granite\nfrom the north\n**Colour**: white")
	if got := h.Tool.Answers; len(got) != 2 || got[0] != (events.Answer{Question: "Which stone?", Answer: "granite\nfrom the north"}) || got[1].Answer != "white" {
		t.Errorf("answers %q", got)
	}
	if h := call("User declined to answer the questions."); h.Tool.Action != events.OtherTool {
		t.Errorf("declined: %+v", h.Tool)
	}
	h = read(of(t, "PostToolUse", map[string]any{
		"tool_name": "exit_plan_mode", "tool_input": map[string]any{"plan": "1. walls"},
		"tool_response": map[string]any{"llmContent": "User approved. You can now start coding."},
	})).Hook
	if h.Tool.Action != events.OfferPlan || h.Tool.Plan != "1. walls" {
		t.Errorf("plan: %+v", h.Tool)
	}
}

// TestGoesOn: a message makes a subagent that had ended go on in the background; one that works or a teammate only gets it.
func TestGoesOn(t *testing.T) {
	t.Parallel()
	task := strings.Repeat("count the tiles, too. ", 1000)
	call := func(members map[string]any, said string) events.ToolCall {
		members["message"] = task
		return *read(of(t, "PostToolUse", map[string]any{
			"tool_name": "send_message", "tool_call_id": "c", "tool_input": members,
			"tool_response": map[string]any{"llmContent": said, "returnDisplay": said},
		})).Hook.Tool
	}
	for _, said := range []string{
		`Background task "explore-c1" resumed with your message as the first continuation instruction.`,
		`Background task "explore-c1" continued on its existing runtime with your message as the next instruction.`,
		`Background task "explore-c1" had completed; revived it with your message as the next instruction.`,
	} {
		got := call(map[string]any{"task_id": "explore-c1"}, said)
		if got.Action != events.RunAgent || got.Lane != "explore-c1" || got.Background != "explore-c1" || got.Task != task {
			t.Errorf("%s: %+v", said, got)
		}
	}
	queued := `Message queued for delivery to background task "explore-c1". The task will receive it at the next tool-round boundary.`
	if got := call(map[string]any{"task_id": "explore-c1"}, queued); got.Action != events.OtherTool {
		t.Errorf("queued: %+v", got)
	}
	if got := call(map[string]any{"to": "ann"}, `Message sent to "ann".`); got.Action != events.OtherTool {
		t.Errorf("to a teammate: %+v", got)
	}
}

// TestEnds: how commands end, and calls that never ran.
func TestEnds(t *testing.T) {
	t.Parallel()
	const about = "Command: make\nDirectory: (root)\nOutput: one\nError: of the output\nError: (none)\nExit Code: 2\nSignal: (none)\nProcess Group PGID: (none)"
	for _, c := range []struct {
		text string
		stop bool
		want events.ToolCall
	}{
		{about, false, events.ToolCall{Failed: true, Exit: 2, Error: "one\nError: of the output"}},
		{about, true, events.ToolCall{Failed: true, Error: "interrupted by the person"}},
		{"[Operation Cancelled] Reason: User did not allow tool call", false, events.ToolCall{Failed: true, Refused: true, Error: "[Operation Cancelled] Reason: User did not allow tool call"}},
		{"Command timed out after 2000ms.", false, events.ToolCall{Failed: true, Error: "Command timed out after 2000ms."}},
	} {
		got := *read(of(t, "PostToolUseFailure", map[string]any{
			"tool_name": "run_shell_command", "tool_input": map[string]any{"command": "make"}, "error": c.text, "is_interrupt": c.stop,
		})).Hook.Tool
		if got.Failed != c.want.Failed || got.Exit != c.want.Exit || got.Error != c.want.Error || got.Refused != c.want.Refused || got.Aborted {
			t.Errorf("%q: %+v", c.text, got)
		}
	}
}

// TestOwed: what the client takes, and when.
func TestOwed(t *testing.T) {
	t.Parallel()
	for native, want := range map[string]string{
		"SessionStart": wire.StartText, "UserPromptSubmit": wire.DueText, "PreCompact": wire.Guidance,
		"PostCompact": "", "Stop": wire.StopAdvice, "SessionEnd": "",
	} {
		if rep := read(of(t, native, map[string]any{"prompt": "x", "source": "startup"})); rep.AnswerKind != want {
			t.Errorf("%s is owed %q, want %q", native, rep.AnswerKind, want)
		}
	}
	for source, want := range map[string]string{"compact": wire.RecoveryText, "resume": wire.RecoveryText, "clear": wire.StartText} {
		if rep := read(of(t, "SessionStart", map[string]any{"source": source})); rep.AnswerKind != want {
			t.Errorf("%s is owed %q, want %q", source, rep.AnswerKind, want)
		}
	}
	h := read(of(t, "PreCompact", map[string]any{"trigger": "auto"})).Hook
	want := `{"hookSpecificOutput":{"hookEventName":"PreCompact","additionalContext":"keep <it>"}}` + "\n"
	if got := string(qwen.Dialect.Answer(h, wire.ToSummariser, "keep <it>")); got != want {
		t.Errorf("got %s", got)
	}
	for _, native := range []string{"Stop", "SubagentStop", "PostCompact", "SessionEnd"} {
		if got := qwen.Dialect.Answer(read(of(t, native, nil)).Hook, wire.ToModel, "x"); got != nil {
			t.Errorf("%s prints %s", native, got)
		}
	}
}

func FuzzQwen(f *testing.F) {
	for _, s := range samples(f) {
		f.Add(s.Body)
	}
	f.Add([]byte(`{"hook_event_name":"PostToolUse","tool_name":"todo_write","tool_input":{"todos":{}},"tool_response":[]}`))
	f.Fuzz(func(t *testing.T, body []byte) { agentstest.Sound(t, read, body) })
}
