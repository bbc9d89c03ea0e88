package claude_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"journal/cmd/testkit/agentstest"
	"journal/events"
)

// tool returns the events of the end of a tool call, from a hook with these members.
func tool(t testing.TB, name string, members map[string]any) []events.Event {
	t.Helper()
	event := "PostToolUse"
	if members["error"] != nil {
		event = "PostToolUseFailure"
	}
	members["tool_name"], members["tool_use_id"] = name, "u"
	return events.Recognise(read(t, payloadWith(t, event, members)).Hook)
}

const (
	refused = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). "
	stop    = refused + "STOP what you are doing and wait for the user to tell you how to proceed."
	advice  = "\n\nNote: The user's next message may contain a correction or preference. Pay close attention."
)

// TestRefusals: a call that the person refused did not fail, however the client says it, and the client's words are
// never the person's.
func TestRefusals(t *testing.T) {
	t.Parallel()
	type m = map[string]any
	for name, c := range map[string]struct {
		tool    string
		members m
		want    []events.Event
	}{
		"with words": {
			"Bash", m{"tool_input": m{"command": "rm -r x", "description": "Clean"}, "error": refused + "To tell you how to proceed, the user said:\nno, \x1b[1mkeep\x1b[0m it\n\nand the rest" + advice},
			[]events.Event{events.ToolRefused{Tool: "Bash", Target: "rm -r x", Words: "no, keep it\n\nand the rest", Use: "u"}},
		},
		"without words": {
			"Write", m{"tool_input": m{"file_path": "/a.go"}, "error": stop + advice},
			[]events.Event{events.ToolRefused{Tool: "Write", Target: "/a.go", Use: "u"}},
		},
		"cancelled": {
			"Read", m{"tool_input": m{"file_path": "/a.go"}, "error": "The user doesn't want to take this action right now. STOP what you are doing and wait for the user to tell you how to proceed."},
			[]events.Event{events.ToolRefused{Tool: "Read", Target: "/a.go", Use: "u"}},
		},
		"in the response": {
			"ExitPlanMode", m{"tool_input": m{"plan": "1. Do."}, "tool_response": "Error: " + refused + "The user said:\nsmaller"},
			[]events.Event{events.ToolRefused{Tool: "ExitPlanMode", Words: "smaller", Use: "u"}},
		},
		"plan, of old clients": {
			"ExitPlanMode", m{"tool_input": m{"plan": "1. Do."}, "error": "The agent proposed a plan that was rejected by the user. The user chose to stay in plan mode.\n\nRejected plan:\n1. Do."},
			[]events.Event{events.ToolRefused{Tool: "ExitPlanMode", Use: "u"}},
		},
		"plan that tells of words": {
			"ExitPlanMode", m{"tool_input": m{"plan": "x"}, "error": "The agent proposed a plan that was rejected by the user. The user chose to stay in plan mode rather than proceed with implementation.\n\nRejected plan:\n" + strings.Repeat("1. Do.\n", 40) + "the user said: x"},
			[]events.Event{events.ToolRefused{Tool: "ExitPlanMode", Use: "u"}},
		},
		"with a reason, in an editor": {
			"Bash", m{"tool_input": m{"command": "npm test"}, "error": refused + "The user provided the following reason for the rejection:  用 docker，不要直接运行"},
			[]events.Event{events.ToolRefused{Tool: "Bash", Target: "npm test", Words: "用 docker，不要直接运行", Use: "u"}},
		},
		"over the Agent Client Protocol": {
			"mcp__acp__Write", m{"tool_input": m{"file_path": "/a.go"}, "error": "User refused permission to run tool"},
			[]events.Event{events.ToolRefused{Tool: "Write", Target: "/a.go", Use: "u"}},
		},
		"plan, over the Agent Client Protocol": {
			"ExitPlanMode", m{"tool_input": m{"plan": "1. Do."}, "error": "User rejected request to exit plan mode."},
			[]events.Event{events.ToolRefused{Tool: "ExitPlanMode", Use: "u"}},
		},
		"formula": {
			"AskUserQuestion", m{"tool_input": m{}, "error": refused + "To tell you how to proceed, the user said:\nThe user wants to clarify these questions.\n    This means they may have more."},
			[]events.Event{events.ToolRefused{Tool: "AskUserQuestion", Use: "u"}},
		},
		"sibling": {
			"Bash", m{"tool_input": m{"command": "ls"}, "error": "<tool_use_error>Sibling tool call errored</tool_use_error>"},
			[]events.Event{events.ToolUsed{Tool: "Bash", Use: "u", Failed: true, Error: "<tool_use_error>Sibling tool call errored</tool_use_error>", Aborted: true}},
		},
		"interrupted": {
			"Bash", m{"tool_input": m{"command": "make"}, "error": "Exit code 137\ncc a.c\n[Request interrupted by user for tool use]"},
			[]events.Event{events.CommandRan{Command: "make", Cwd: "/home/dev/project", Use: "u", Failed: true, Exit: 137, Error: "Exit code 137\ncc a.c\n[Request interrupted by user for tool use]"}},
		},
		"interrupted, in the words of an old client": {
			"Bash", m{"tool_input": m{"command": "make"}, "error": "[Request interrupted by user for tool use]\ncc a.c"},
			[]events.Event{events.CommandRan{Command: "make", Cwd: "/home/dev/project", Use: "u", Failed: true, Error: "[Request interrupted by user for tool use]\ncc a.c"}},
		},
		"interrupted, it is unknown when": {
			"Bash", m{"tool_input": m{"command": "make"}, "error": "[Request interrupted by user for tool use]"},
			[]events.Event{events.ToolUsed{Tool: "Bash", Use: "u", Failed: true, Error: "[Request interrupted by user for tool use]", Aborted: true}},
		},
		"interrupted, in the words of a refusal": {
			"Bash", m{"tool_input": m{"command": "make"}, "error": stop, "is_interrupt": true},
			[]events.Event{events.CommandRan{Command: "make", Cwd: "/home/dev/project", Use: "u", Failed: true, Error: "interrupted by the person"}},
		},
		"refused, and interrupted": {
			"Bash", m{"tool_input": m{"command": "make"}, "error": refused + "the user said:\nno", "is_interrupt": true},
			[]events.Event{events.ToolRefused{Tool: "Bash", Target: "make", Words: "no", Use: "u"}},
		},
		"interrupted edit": {
			"Edit", m{"tool_input": m{"file_path": "/a.go"}, "error": "x", "is_interrupt": true},
			[]events.Event{events.ToolUsed{Tool: "Edit", Use: "u", Paths: []string{"/a.go"}, Failed: true, Error: "x", Aborted: true, Writes: true}},
		},
		"failed, and tells of refusals": {
			"Bash", m{"tool_input": m{"command": "grep -c rejected log"}, "error": "Exit code 1\n" + stop},
			[]events.Event{events.CommandRan{Command: "grep -c rejected log", Cwd: "/home/dev/project", Failed: true, Exit: 1, Error: "Exit code 1\n" + stop, Use: "u"}},
		},
		"denied by a rule": {
			"Bash", m{"tool_input": m{"command": "ls"}, "error": "Permission to use Bash has been denied."},
			[]events.Event{events.ToolUsed{Tool: "Bash", Use: "u", Failed: true, Error: "Permission to use Bash has been denied.", Aborted: true}},
		},
		"denied by a rule for the command": {
			"Bash", m{"tool_input": m{"command": "ls"}, "error": "Permission to use Bash with command ls has been denied."},
			[]events.Event{events.ToolUsed{Tool: "Bash", Use: "u", Failed: true, Error: "Permission to use Bash with command ls has been denied.", Aborted: true}},
		},
		"not granted": {
			"Bash", m{"tool_input": m{"command": "ls"}, "error": "Claude requested permissions to use Bash, but you haven't granted it yet."},
			[]events.Event{events.ToolUsed{Tool: "Bash", Use: "u", Failed: true, Error: "Claude requested permissions to use Bash, but you haven't granted it yet.", Aborted: true}},
		},
		"denied by auto mode": {
			"Bash", m{"tool_input": m{"command": "ls"}, "error": "Permission for this action was denied by the Claude Code auto mode classifier. Reason: [Production Deploy]."},
			[]events.Event{events.ToolUsed{Tool: "Bash", Use: "u", Failed: true, Error: "Permission for this action was denied by the Claude Code auto mode classifier. Reason: [Production Deploy].", Aborted: true}},
		},
		"not judged by auto mode": {
			"Bash", m{"tool_input": m{"command": "ls"}, "error": "claude-sonnet-5[1m] is temporarily unavailable, so auto mode cannot determine the safety of Bash right now."},
			[]events.Event{events.ToolUsed{Tool: "Bash", Use: "u", Failed: true, Error: "claude-sonnet-5[1m] is temporarily unavailable, so auto mode cannot determine the safety of Bash right now.", Aborted: true}},
		},
		"blocked by a hook": {
			"Bash", m{"tool_input": m{"command": "ls"}, "error": "PreToolUse:Bash hook error: [guard.sh]: use fd"},
			[]events.Event{events.ToolUsed{Tool: "Bash", Use: "u", Failed: true, Error: "PreToolUse:Bash hook error: [guard.sh]: use fd", Aborted: true}},
		},
		"blocked by a hook that prints JSON": {
			"Bash", m{"tool_input": m{"command": "ls"}, "error": "Hook PreToolUse:Bash denied this tool"},
			[]events.Event{events.ToolUsed{Tool: "Bash", Use: "u", Failed: true, Error: "Hook PreToolUse:Bash denied this tool", Aborted: true}},
		},
		"failed, and says permission": {
			"Bash", m{"tool_input": m{"command": "ls /root"}, "error": "Exit code 2\nls: /root: Permission denied"},
			[]events.Event{events.CommandRan{Command: "ls /root", Cwd: "/home/dev/project", Failed: true, Exit: 2, Error: "Exit code 2\nls: /root: Permission denied", Use: "u"}},
		},
	} {
		if diff := cmp.Diff(c.want, tool(t, c.tool, c.members)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestOtherShells: PowerShell, and the shell and the files that an editor puts in the place of the client's own (Agent
// Client Protocol), say what Bash and the client's tools say.
func TestOtherShells(t *testing.T) {
	t.Parallel()
	type m = map[string]any
	said := func(text string) []m { return []m{{"type": "text", "text": text}} }
	ran := func(e events.CommandRan) []events.Event {
		e.Cwd, e.Use = "/home/dev/project", "u"
		return []events.Event{e}
	}
	for name, c := range map[string]struct {
		tool    string
		members m
		want    []events.Event
	}{
		"PowerShell": {
			"PowerShell", m{"tool_input": m{"command": `Get-ChildItem C:\src | Select-Object -First 3`, "description": "List"}, "tool_response": m{"stdout": "a.go", "stderr": "", "interrupted": false, "isImage": false}},
			ran(events.CommandRan{Command: `Get-ChildItem C:\src | Select-Object -First 3`, About: "List", Output: "a.go"}),
		},
		"PowerShell that failed": {
			"PowerShell", m{"tool_input": m{"command": "npm test"}, "error": "Exit code 1\n1 failing"},
			ran(events.CommandRan{Command: "npm test", Failed: true, Exit: 1, Error: "Exit code 1\n1 failing"}),
		},
		"PowerShell in the background": {
			"PowerShell", m{"tool_input": m{"command": "npm run dev", "run_in_background": true}, "tool_response": m{"stdout": "", "backgroundTaskId": "b1"}},
			ran(events.CommandRan{Command: "npm run dev", Background: "b1"}),
		},
		"PowerShell, refused": {
			"PowerShell", m{"tool_input": m{"command": "Remove-Item x"}, "error": refused + "To tell you how to proceed, the user said:\nkeep it"},
			[]events.Event{events.ToolRefused{Tool: "PowerShell", Target: "Remove-Item x", Words: "keep it", Use: "u"}},
		},
		"PowerShell, interrupted": {
			"PowerShell", m{"tool_input": m{"command": "npm test"}, "error": stop, "is_interrupt": true},
			ran(events.CommandRan{Command: "npm test", Failed: true, Error: "interrupted by the person"}),
		},
		"an editor's shell": {
			"mcp__acp__Bash", m{"tool_input": m{"command": "make test", "description": "Test"}, "tool_response": said("Exited with code 0.Final output:\n\nok")},
			ran(events.CommandRan{Command: "make test", About: "Test", Output: "ok"}),
		},
		"an editor's shell, of a later version": {
			"mcp__acp__Bash", m{"tool_input": m{"command": "make test"}, "tool_response": "Exited with code 0.\nFinal output:\n\nok"},
			ran(events.CommandRan{Command: "make test", Output: "ok"}),
		},
		"an editor's shell that failed": {
			"mcp__acp__Bash", m{"tool_input": m{"command": "make test"}, "tool_response": said("Exited with code 2.Final output:\n\nmake: *** [test] Error 1")},
			ran(events.CommandRan{Command: "make test", Failed: true, Exit: 2, Error: "make: *** [test] Error 1"}),
		},
		"an editor's shell whose pipe hides a failure": {
			"mcp__acp__Bash", m{"tool_input": m{"command": "go test ./... | tail"}, "tool_response": said("Exited with code 0.Final output:\n\n--- FAIL: TestX (0.00s)\nFAIL")},
			ran(events.CommandRan{Command: "go test ./... | tail", Output: "--- FAIL: TestX (0.00s)\nFAIL", Mark: "--- FAIL: TestX (0.00s)", Outcome: "FAIL: TestX"}),
		},
		"an editor's shell, in the background": {
			"mcp__acp__Bash", m{"tool_input": m{"command": "npm run dev", "run_in_background": true}, "tool_response": said("Command started in background with id: term-7")},
			ran(events.CommandRan{Command: "npm run dev", Background: "term-7"}),
		},
		"an editor's shell, out of time": {
			"mcp__acp__Bash", m{"tool_input": m{"command": "npm run dev"}, "tool_response": said("Timed out. Signal `SIGKILL`. Final output:\n\nReady")},
			ran(events.CommandRan{Command: "npm run dev", Failed: true, Error: "Timed out. Signal `SIGKILL`. Final output:\n\nReady"}),
		},
		"an editor's shell, stopped by the person": {
			"mcp__acp__Bash", m{"tool_input": m{"command": "make"}, "tool_response": said("Tool cancelled by user")},
			ran(events.CommandRan{Command: "make", Failed: true, Error: "interrupted by the person"}),
		},
		"an editor's file, read": {
			"mcp__acp__Read", m{"tool_input": m{"file_path": "/a.go"}, "tool_response": said("package a")},
			[]events.Event{events.FileRead{Path: "/a.go", Use: "u"}},
		},
		"an editor's file, written": {
			"mcp__acp__Write", m{"tool_input": m{"file_path": "/a.go", "content": "package a"}, "tool_response": said("The file /a.go has been updated successfully.")},
			[]events.Event{events.FileWritten{Path: "/a.go", Op: "write", Tool: "Write", Use: "u"}},
		},
		"an editor's file, edited": {
			"mcp__acp__Edit", m{"tool_input": m{"file_path": "/a.go", "old_string": "a", "new_string": "b"}, "tool_response": said("@@ -1 +1 @@")},
			[]events.Event{events.FileWritten{Path: "/a.go", Op: "edit", Tool: "Edit", Use: "u", Passages: []events.Passage{{Lines: []string{"b"}, Count: 1, Removed: "a", RemovedCount: 1}}}},
		},
		"an editor's edit that failed": {
			"mcp__acp__Edit", m{"tool_input": m{"file_path": "/a.go"}, "error": "Editing file failed: no such text"},
			[]events.Event{events.ToolUsed{Tool: "Edit", Use: "u", Paths: []string{"/a.go"}, Failed: true, Error: "Editing file failed: no such text", Writes: true}},
		},
		"another server's tool": {
			"mcp__ssh__Bash", m{"tool_input": m{"command": "ls"}, "tool_response": said("a")},
			[]events.Event{events.ToolUsed{Tool: "mcp__ssh__Bash", Use: "u"}},
		},
	} {
		if diff := cmp.Diff(c.want, tool(t, c.tool, c.members)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestAnswers: the person's answers, in each shape that clients used.
func TestAnswers(t *testing.T) {
	t.Parallel()
	type m = map[string]any
	questions := []m{{"question": "Which one?"}, {"question": `Is "x" right?`}}
	want := []events.Event{
		events.QuestionAnswered{Question: "Which one?", Answer: "one, two", Use: "u"},
		events.QuestionAnswered{Question: `Is "x" right?`, Answer: `no, "y"`, Use: "u"},
	}
	for name, members := range map[string]m{
		"texts":                   {"tool_response": json.RawMessage(`{"answers":{"Which one?":"one, two","Is \"x\" right?":"no, \"y\""}}`)},
		"notes that say it again": {"tool_response": json.RawMessage(`{"answers":{"Which one?":"one, two","Is \"x\" right?":"no, \"y\""},"annotations":{"Which one?":{"notes":"one, two"}}}`)},
		"lists":                   {"tool_response": json.RawMessage(`{"answers":{"Which one?":["one","two"],"Is \"x\" right?":["no, \"y\""]}}`)},
		"in input":                {"tool_input": json.RawMessage(`{"answers":{"Which one?":"one, two","Is \"x\" right?":"no, \"y\""}}`)},
		"said": {
			"tool_input":    m{"questions": questions},
			"tool_response": `User has answered your questions: "Which one?"="one, two", "Is "x" right?"="no, "y"". You can now continue with the user's answers in mind.`,
		},
	} {
		if diff := cmp.Diff(want, tool(t, "AskUserQuestion", members)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	for name, members := range map[string]m{
		"none":    {"tool_response": m{"answers": m{}}},
		"refused": {"tool_input": m{"answers": m{"Which one?": "one"}}, "error": stop},
		"failed":  {"tool_input": m{"answers": m{"Which one?": "one"}}, "error": "broken"},
	} {
		for _, e := range tool(t, "AskUserQuestion", members) {
			if _, is := e.(events.QuestionAnswered); is {
				t.Errorf("%s: %+v", name, e)
			}
		}
	}
}

// TestPlans: the approved plan comes from the response, the input or the file, as the person left it, and whole.
func TestPlans(t *testing.T) {
	t.Parallel()
	type m = map[string]any
	dir := t.TempDir()
	file := filepath.Join(dir, "plan.md")
	key := "sk-ant-api03-" + strings.Repeat("Zx9", 31) + "-AAAAAA"
	if err := os.WriteFile(file, []byte("# Plan\n\x1b[1m1.\x1b[0m Use "+key+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	long := filepath.Join(dir, "long.md")
	if err := os.WriteFile(long, bytes.Repeat([]byte("x"), 256<<10+1), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		members    m
		text, path string
	}{
		"changed by the person": {m{"tool_input": m{"plan": "1. Do."}, "tool_response": m{"plan": "1. Do less."}}, "1. Do less.", ""},
		"input":                 {m{"tool_input": m{"plan": "1. Do."}, "tool_response": m{"isAgent": false}}, "1. Do.", ""},
		"file":                  {m{"tool_response": m{"plan": nil, "filePath": file}}, "# Plan\n1. Use [redacted:anthropic-key]\n", file},
		"file too long":         {m{"tool_response": m{"plan": nil, "filePath": long}}, "", long},
		"no file":               {m{"tool_response": m{"plan": nil, "filePath": dir}}, "", dir},
		"said": {m{"tool_response": "User has approved your plan. You can now start coding.\n\nYour plan has been saved to: " + file +
			"\nYou can refer back to it.\n\n## Approved Plan:\n# Small\n1. Do."}, "# Small\n1. Do.", file},
		"too long in the payload": {m{"tool_input": m{"plan": prose(300 << 10)}, "tool_response": m{"filePath": long}}, "", long},
	} {
		want := []events.Event{events.PlanApproved{Text: c.text, File: c.path, Use: "u"}}
		if diff := cmp.Diff(want, tool(t, "ExitPlanMode", c.members)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	for name, members := range map[string]m{
		"said no":         {"tool_input": m{"plan": "1. Do."}, "tool_response": "Stay in plan mode."},
		"waits":           {"tool_response": m{"plan": "1. Do.", "awaitingLeaderApproval": true}},
		"nothing to keep": {"tool_response": m{"plan": ""}},
	} {
		if e, is := tool(t, "ExitPlanMode", members)[0].(events.PlanApproved); is {
			t.Errorf("%s: %+v", name, e)
		}
	}
	// A transcript is about files that have changed since.
	past := env()
	past.Past = true
	body := payloadWith(t, "PostToolUse", m{"tool_name": "ExitPlanMode", "tool_response": m{"filePath": file}})
	if h := dialect(t).Read(bytes.NewReader(body), past).Hook; h.Tool.Plan != "" {
		t.Errorf("the past has today's plan: %q", h.Tool.Plan)
	}
}

// TestMarks: whichever comes first, command or output, the whole output is searched, and the mark is text without
// secrets.
func TestMarks(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ok  \tsome/package\t0.1s\n", 4000)
	key := "sk-ant-api03-" + strings.Repeat("Zx9", 31) + "-AAAAAA"
	const input = `"tool_input":{"command":"go test ./... 2>&1 | tail -500"}`
	for name, c := range map[string]struct{ output, mark string }{
		"in the middle": {long + "--- FAIL: TestX (0.1s)\n" + long, "--- FAIL: TestX (0.1s)"},
		"secret":        {"panic: " + key + "\n", "panic: [redacted:anthropic-key]"},
		"none":          {long, ""},
	} {
		output := `"tool_response":{"stdout":` + string(encode(t, c.output)) + `,"stderr":""}`
		for _, members := range []string{input + "," + output, output + "," + input} {
			body := `{"hook_event_name":"PostToolUse","session_id":"s","cwd":"/p","tool_name":"Bash",` + members + `}`
			rep := read(t, []byte(body))
			if e := agentstest.Recognised[events.CommandRan](t, rep); e.Mark != c.mark || e.Failed {
				t.Errorf("%s: mark %q, failed %v", name, e.Mark, e.Failed)
			}
		}
	}
	e := tool(t, "Bash", map[string]any{
		"tool_input": map[string]any{"command": "make; true"}, "tool_response": map[string]any{"stdout": "x", "stderr": "make: *** [x] Error 1\n"},
	})[0].(events.CommandRan)
	if e.Mark != "make: *** [x] Error 1" {
		t.Errorf("behind the other stream: %q", e.Mark)
	}
}

// TestFound: the findings of a failed command are those of its whole output, without secrets, if that is too long to be kept.
func TestFound(t *testing.T) {
	t.Parallel()
	key := "sk-ant-api03-" + strings.Repeat("Zx9", 31) + "-AAAAAA"
	failed := "--- FAIL: TestX (0.1s)\n    x_test.go:3: got " + key + "\n--- FAIL: TestY (0.1s)\n    y_test.go:7: got 1, want 2\n"
	long := strings.Repeat("ok  \tsome/package\t0.1s\n", 800)
	for output, want := range map[string]string{
		long + failed + long:                     "x_test.go:3: FAIL: TestX: got [redacted:anthropic-key]\ny_test.go:7: FAIL: TestY: got 1, want 2",
		failed:                                   "",
		long + "--- FAIL: TestX (0.1s)\n" + long: "",
	} {
		e := tool(t, "Bash", map[string]any{"tool_input": map[string]any{"command": "go test ./... | cat"}, "tool_response": map[string]any{"stdout": output}})[0].(events.CommandRan)
		if e.Found != want {
			t.Errorf("%d bytes: %q", len(output), e.Found)
		}
	}
}

// TestBackground: a background command is started, and its notice reports the end.
func TestBackground(t *testing.T) {
	t.Parallel()
	type m = map[string]any
	for want, members := range map[string]m{
		"b1": {"tool_input": m{"command": "sleep 1; exit 7", "run_in_background": true}, "tool_response": m{"stdout": "", "backgroundTaskId": "b1"}},
		"b2": {"tool_input": m{"command": "npm run dev"}, "tool_response": m{"stdout": "", "backgroundTaskId": "b2"}},
		"u":  {"tool_input": m{"command": "npm run dev", "run_in_background": true}, "tool_response": m{"stdout": ""}},
		"":   {"tool_input": m{"command": "npm run dev", "run_in_background": false}, "tool_response": m{"stdout": ""}},
	} {
		if e := tool(t, "Bash", members)[0].(events.CommandRan); e.Background != want {
			t.Errorf("background %q, want %q", e.Background, want)
		}
	}
	watch := m{"tool_input": m{"command": "tail -f app.log", "description": "errors of the app", "timeout_ms": 600000}, "tool_response": m{"taskId": "b3", "timeoutMs": 600000, "persistent": false}}
	if diff := cmp.Diff([]events.Event{events.CommandRan{Command: "tail -f app.log", About: "errors of the app", Cwd: "/home/dev/project", Use: "u", Background: "b3"}}, tool(t, "Monitor", watch)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	socket := m{"tool_input": m{"ws": m{"url": "wss://a.example"}, "description": "events"}, "tool_response": m{"taskId": "b4", "timeoutMs": 0}}
	if got := tool(t, "Monitor", socket); len(got) != 1 || got[0].(events.ToolUsed).Tool != "Monitor" {
		t.Errorf("a socket is no command: %+v", got)
	}
	orphans := "<task-notification>\n<task-id>b1</task-id>\n<task-id>b2</task-id>\n<task-id>__orphan_summary__:shell</task-id>\n<status>stopped</status>\n<summary>2 background shell command tasks didn't finish before the previous session ended.</summary>\n</task-notification>"
	all := events.Recognise(read(t, payloadWith(t, "UserPromptSubmit", m{"prompt": orphans})).Hook)
	for i, id := range []string{"b1", "b2"} {
		if e, ok := all[i].(events.BackgroundEnded); !ok || e.Task != id || e.Status != "stopped" {
			t.Errorf("of %s: %+v", id, all[i])
		}
	}
	for prompt, want := range map[string]events.BackgroundEnded{
		"<task-notification>\n<task-id>b1</task-id>\n<tool-use-id>u</tool-use-id>\n<status>failed</status>\n<summary>Background command \"x\" failed with exit code 7</summary>\n</task-notification>\nRead the output": {
			Task: "b1", Use: "u", Status: "failed", Exit: 7, Text: `Background command "x" failed with exit code 7`,
		},
		"<task-notification><task-id>b1</task-id><status>completed</status><summary>Background command completed (exit code 0)</summary></task-notification>": {
			Task: "b1", Status: "completed", Text: "Background command completed (exit code 0)",
		},
		"<task-notification><task-id>b1</task-id><status>killed</status><summary>Background command \"make || exit 5\" was killed</summary></task-notification>": {
			Task: "b1", Status: "killed", Text: `Background command "make || exit 5" was killed`,
		},
		"<agent-notification><agent-id>a1</agent-id><status>killed</status></agent-notification>": {Task: "a1", Status: "killed"},
		"<task-notification><task-id>b3</task-id><status>failed</status><summary>Monitor \"errors of the app\" script failed (exit 2)</summary></task-notification>": {
			Task: "b3", Status: "failed", Exit: 2, Text: `Monitor "errors of the app" script failed (exit 2)`,
		},
		"<task-notification><task-id>b3</task-id><summary>Monitor event: \"errors of the app\"</summary>\n<event>[Monitor expired after 10m with 2 events delivered. Re-arm it if you still need the watch.]</event></task-notification>": {
			Task: "b3", Status: "killed", Text: `Monitor event: "errors of the app"`,
		},
	} {
		all := events.Recognise(read(t, payloadWith(t, "UserPromptSubmit", m{"prompt": prompt})).Hook)
		if diff := cmp.Diff([]events.Event{want, events.PromptSubmitted{Text: prompt, Machine: true}}, all); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
}

// editor is what an editor answers to a call: one text.
func editor(text string) []any { return []any{map[string]any{"type": "text", "text": text}} }

// TestBackgroundAsked: the model also learns how a command of the background ended by asking for it, and by stopping it.
func TestBackgroundAsked(t *testing.T) {
	t.Parallel()
	type m = map[string]any
	for _, c := range []struct {
		tool    string
		members m
		want    []events.Event
	}{
		{"TaskOutput", m{"tool_response": m{"retrieval_status": "success", "task": m{"task_id": "b1", "task_type": "local_bash", "status": "failed", "output": "no module x\n", "exitCode": 1}}}, []events.Event{events.BackgroundEnded{Task: "b1", Status: "failed", Exit: 1, Text: "no module x\n"}}},
		{"TaskOutput", m{"tool_response": m{"retrieval_status": "timeout", "task": m{"task_id": "b1", "status": "running", "output": "…", "exitCode": nil}}}, nil},
		{"BashOutput", m{"tool_response": m{"shellId": "b1", "status": "completed", "exitCode": 0, "stdout": "ok", "stderr": ""}}, []events.Event{events.BackgroundEnded{Task: "b1", Status: "completed"}}},
		{"BashOutput", m{"tool_response": m{"shellId": "b1", "status": "failed", "exitCode": 2, "stdout": "a", "stderr": "b"}}, []events.Event{events.BackgroundEnded{Task: "b1", Status: "failed", Exit: 2, Text: "a\nb"}}},
		{"KillShell", m{"tool_response": m{"message": "Successfully killed shell: b1 (npm run dev)", "shell_id": "b1"}}, []events.Event{events.BackgroundEnded{Task: "b1", Status: "killed"}}},
		{"TaskStop", m{"tool_response": m{"message": "Successfully stopped task: b1 (npm run dev)", "task_id": "b1", "task_type": "local_bash"}}, []events.Event{events.BackgroundEnded{Task: "b1", Status: "killed"}}},
		{"TaskStop", m{"tool_response": m{"message": "Task b1 may still be running: the machine that runs it did not confirm the stop.", "task_id": "b1"}}, nil},
		{"KillShell", m{"error": "No shell found with ID: b1"}, nil},
		{"mcp__acp__BashOutput", m{"tool_input": m{"task_id": "b1"}, "tool_response": editor("Exited with code 2.Final output:\n\nno module x\n")}, []events.Event{events.BackgroundEnded{Task: "b1", Status: "failed", Exit: 2, Text: "no module x\n"}}},
		{"mcp__acp__BashOutput", m{"tool_input": m{"id": "b1"}, "tool_response": editor("Exited with code 0.Final output:\n\nok")}, []events.Event{events.BackgroundEnded{Task: "b1", Status: "completed"}}},
		{"mcp__acp__BashOutput", m{"tool_input": m{"task_id": "b1"}, "tool_response": editor("Timed out. New output:\n\nok")}, []events.Event{events.BackgroundEnded{Task: "b1", Status: "killed"}}},
		{"mcp__acp__BashOutput", m{"tool_input": m{"task_id": "b1"}, "tool_response": editor("New output:\n\nExited with code 1.Final output:\n\n")}, nil},
		{"mcp__acp__KillShell", m{"tool_input": m{"shell_id": "b1"}, "tool_response": editor("Command killed successfully.")}, []events.Event{events.BackgroundEnded{Task: "b1", Status: "killed"}}},
		{"mcp__acp__KillBash", m{"tool_input": m{"id": "b1"}, "tool_response": editor("Command had already exited.")}, []events.Event{events.BackgroundEnded{Task: "b1", Status: "killed"}}},
		{"mcp__acp__KillShell", m{"tool_input": m{"shell_id": "b1"}, "error": "Killing shell failed: Unknown shell b1"}, nil},
	} {
		got := tool(t, c.tool, c.members)
		if diff := cmp.Diff(c.want, got[:len(got)-1], cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s %v (-want +got):\n%s", c.tool, c.members, diff)
		}
		if _, used := got[len(got)-1].(events.ToolUsed); !used {
			t.Errorf("%s is no call: %v", c.tool, got)
		}
	}
}

// TestOwnCalls: a call by which the agent reports to the journal is no command that ran; the rest keeps it.
func TestOwnCalls(t *testing.T) {
	t.Parallel()
	for command, own := range map[string]bool{
		`cd /p && ~/.local/bin/journal decide "use msgpack"`: true,
		"journal-hook note x":                                true,
		"go test ./... && journal decide green":              false,
	} {
		rep := read(t, payloadWith(t, "PostToolUse", map[string]any{
			"tool_name": "Bash", "tool_use_id": "u", "tool_input": map[string]any{"command": command}, "tool_response": map[string]any{"stdout": "#7"},
		}))
		_, ran := events.Recognise(rep.Hook)[0].(events.CommandRan)
		if ran == own || own && !strings.Contains(string(rep.Hook.Rest), "journal") {
			t.Errorf("%s: %v, rest %s", command, ran, rep.Hook.Rest)
		}
	}
}
