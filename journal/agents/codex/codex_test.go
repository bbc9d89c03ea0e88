package codex_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"journal/cmd/testkit/agentstest"
	"journal/events"
	"journal/journal/agents/codex"
	"journal/journal/wire"
)

var read = agentstest.Reader(codex.Dialect)

func samples(t testing.TB) []agentstest.Sample { return agentstest.Samples(t, "*/*.json") }

// of returns a payload of one event with more members.
func of(t *testing.T, event string, members map[string]any) []byte {
	t.Helper()
	return agentstest.Payload(t, map[string]any{"session_id": "s-1", "hook_event_name": event, "cwd": "/home/dev/project", "turn_id": "t-1"}, members)
}

// TestCodexGolden: the meaning of each payload of the client.
func TestCodexGolden(t *testing.T) {
	t.Parallel()
	agentstest.Goldens(t, samples(t), read)
}

// TestCodexKeepsAll: every text of every payload is stored, or implied by what is stored.
func TestCodexKeepsAll(t *testing.T) {
	t.Parallel()
	for _, s := range samples(t) {
		var doc map[string]any
		if err := json.Unmarshal(s.Body, &doc); err != nil {
			t.Fatal(err)
		}
		rep := read(s.Body)
		stored := string(bytes.Join(agentstest.Stored(t, rep), nil))
		for name, v := range doc {
			text, ok := v.(string)
			repeated := name == "transcript_path" || name == "cwd" || name == "hook_event_name" || text == "Bash" || name == "source" && text == "compact"
			if !ok || text == "" || repeated || name == "tool_response" && strings.HasPrefix(text, "Exit code: 0") {
				continue
			}
			if !strings.Contains(stored, text) && !strings.Contains(string(rep.Hook.Rest), strings.Trim(encoded(t, text), `"`)) {
				t.Errorf("%s: %s %q is kept nowhere", s.Name, name, text)
			}
		}
	}
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestPatch: the effect of a patch on files.
func TestPatch(t *testing.T) {
	t.Parallel()
	const response = "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. Updated the following files:\n"
	for _, c := range []struct {
		name, patch string
		want        []events.FileWritten
	}{
		{"new", "*** Begin Patch\n*** Add File: a/b.txt\n+one\n*** End Patch", []events.FileWritten{{Path: "/home/dev/project/a/b.txt", Op: "write"}}},
		{"changed and moved", "*** Begin Patch\n*** Update File: a.go\n*** Move to: b.go\n@@\n-x\n+y\n*** Update File: /abs/c.go\r\n@@\n*** End Patch",
			[]events.FileWritten{{Path: "/home/dev/project/b.go", Op: "edit"}, {Path: "/abs/c.go", Op: "edit"}}},
		{"twice", "*** Update File: a.go\n*** Update File: a.go\n", []events.FileWritten{{Path: "/home/dev/project/a.go", Op: "edit"}}},
		{"moved at the second change", "*** Update File: a.go\n*** Update File: b.go\n*** Update File: a.go\n*** Move to: c.go\n",
			[]events.FileWritten{{Path: "/home/dev/project/b.go", Op: "edit"}, {Path: "/home/dev/project/c.go", Op: "edit"}}},
		{"text that looks like one", "*** Update File: a.go\n+*** Add File: no.go\n", []events.FileWritten{{Path: "/home/dev/project/a.go", Op: "edit"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			rep := read(of(t, "PostToolUse", map[string]any{
				"tool_name": "apply_patch", "tool_use_id": "u", "tool_input": map[string]any{"command": c.patch}, "tool_response": response,
			}))
			var got []events.FileWritten
			for _, e := range events.Recognise(rep.Hook) {
				w, ok := e.(events.FileWritten)
				if !ok {
					t.Fatalf("means %#v", e)
				}
				w.Tool, w.Use, w.Passages = "", "", nil
				got = append(got, w)
			}
			if !cmp.Equal(got, c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
	deleted := read(of(t, "PostToolUse", map[string]any{
		"tool_name": "apply_patch", "tool_use_id": "u", "tool_input": map[string]any{"command": "*** Delete File: a.go\n"}, "tool_response": response,
	}))
	if e := agentstest.Recognised[events.ToolUsed](t, deleted); e.Tool != "apply_patch" || !strings.Contains(string(deleted.Hook.Rest), "Delete File") {
		t.Errorf("a deletion: %+v, %s", e, deleted.Hook.Rest)
	}
	failed := read(of(t, "PostToolUse", map[string]any{
		"tool_name": "apply_patch", "tool_use_id": "u", "tool_input": map[string]any{"command": "*** Update File: a.go\n"},
		"tool_response": "Exit code: 1\nWall time: 0 seconds\nOutput:\nno such context\n",
	}))
	for _, e := range events.Recognise(failed.Hook) {
		if _, written := e.(events.FileWritten); written {
			t.Errorf("a patch that failed wrote %+v", e)
		}
	}
	if !failed.Hook.Tool.Failed || failed.Hook.Tool.Error != "no such context\n" {
		t.Errorf("failed patch: %+v", failed.Hook.Tool)
	}
}

// TestPatchInShell: some models apply patches in the shell. A command that does more, or whose patch failed, stays a command.
func TestPatchInShell(t *testing.T) {
	t.Parallel()
	const patch, ok = "*** Begin Patch\n*** Update File: a.go\n@@\n-x\n+y\n*** End Patch", "Success. Updated the following files:\nM a.go\n"
	for _, c := range []struct {
		command      any
		output, path string // path is "" for a command
	}{
		{"apply_patch <<'EOF'\n" + patch + "\nEOF\n", ok, "/home/dev/project/a.go"},
		{"cd 'sub dir' && apply_patch <<\"EOF\"\n" + patch + "\nEOF", ok, "/home/dev/project/sub dir/a.go"},
		{[]string{"apply_patch", patch}, ok, "/home/dev/project/a.go"},
		{"apply_patch <<'EOF'\n" + patch + "\nEOF", "bash: apply_patch: command not found\n", ""},
		{"apply_patch <<'EOF'\n" + patch + "\nEOF\ngo test ./...", ok, ""},
		{"grep -n '*** Begin Patch' notes", ok, ""},
	} {
		rep := read(of(t, "PostToolUse", map[string]any{
			"tool_name": "Bash", "tool_use_id": "u", "tool_input": map[string]any{"command": c.command}, "tool_response": c.output,
		}))
		path := ""
		if w, ok := events.Recognise(rep.Hook)[0].(events.FileWritten); ok {
			path = w.Path
		}
		if path != c.path || path != "" && !strings.Contains(string(rep.Hook.Rest), "Begin Patch") {
			t.Errorf("%v: file %q, want %q, rest %s", c.command, path, c.path, rep.Hook.Rest)
		}
	}
}

// TestCommandOutcome: the client reports no exit code: only the output shows a failure.
func TestCommandOutcome(t *testing.T) {
	t.Parallel()
	for command, c := range map[string]struct{ output, mark string }{
		"go test ./...": {"ok  	a	0.1s\nFAIL	b	0.2s\n", "FAIL	b	0.2s"},
		"ls | wc -l":    {"0\n", ""},
		"cat build.log": {"FAIL	b	0.2s\n", ""},
		"nosuch":        {"/bin/bash: line 1: nosuch: command not found\n", "/bin/bash: line 1: nosuch: command not found"},
	} {
		rep := read(of(t, "PostToolUse", map[string]any{
			"tool_name": "Bash", "tool_use_id": "u", "tool_input": map[string]any{"command": command}, "tool_response": c.output,
		}))
		if e := agentstest.Recognised[events.CommandRan](t, rep); e.Mark != c.mark || e.Output != c.output {
			t.Errorf("%s: %+v, want mark %q", command, e, c.mark)
		}
	}
}

// TestSubagents: subagents have their parent's session and a lane of their own; their parent's words are no person's,
// and their compactions are their own.
func TestSubagents(t *testing.T) {
	t.Parallel()
	in := map[string]any{"agent_id": "child", "agent_type": "default"}
	with := func(name string, v any) map[string]any {
		return map[string]any{"agent_id": "child", "agent_type": "default", name: v}
	}
	if h := read(of(t, "UserPromptSubmit", with("prompt", "count files"))).Hook; !h.Machine || h.Lane != "child" || h.Session != "s-1" {
		t.Errorf("the task of a subagent: %+v", h)
	}
	if rep := read(of(t, "UserPromptSubmit", with("prompt", "x"))); rep.AnswerKind != "" {
		t.Errorf("owed %s", rep.AnswerKind)
	}
	if h := read(of(t, "PostCompact", in)).Hook; h.Kind != events.CompactEnd || h.Lane != "child" {
		t.Errorf("the compaction of a subagent: %+v", h)
	}
	rep := read(of(t, "PostToolUse", map[string]any{
		"agent_id": "child", "tool_name": "Bash", "tool_use_id": "u", "tool_input": map[string]any{"command": "ls"}, "tool_response": "",
	}))
	if rep.AnswerKind != wire.DueAtWork || rep.Wait != 0 {
		t.Errorf("a tool of a subagent is owed %q in %v", rep.AnswerKind, rep.Wait)
	}
}

// TestAnswersFitTheSchemas: any answer at any event fits the client's own schema of that event; without a schema there
// is no answer.
func TestAnswersFitTheSchemas(t *testing.T) {
	t.Parallel()
	names := map[string]string{
		"SessionStart": "session-start", "UserPromptSubmit": "user-prompt-submit", "PreToolUse": "pre-tool-use", "PostToolUse": "post-tool-use",
		"PreCompact": "pre-compact", "PostCompact": "post-compact", "Stop": "stop", "Interrupt": "interrupt",
		"SubagentStart": "subagent-start", "SubagentStop": "subagent-stop", "PermissionRequest": "permission-request",
	}
	toModel := 0
	for _, event := range []string{
		"SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse", "PreCompact", "PostCompact",
		"SubagentStart", "SubagentStop", "Stop", "Interrupt", "OfNextYear",
	} {
		h := read(of(t, event, map[string]any{"source": "startup", "tool_name": "Bash"})).Hook
		for _, to := range []string{wire.ToModel, wire.ToPerson, wire.ToSummariser} {
			out := codex.Dialect.Answer(h, to, "text with <b> & \"quotes\"")
			if len(out) == 0 {
				continue
			}
			file := names[event]
			if file == "" {
				t.Errorf("%s prints %s", event, out)
				continue
			}
			if to == wire.ToModel {
				toModel++
			}
			b, err := os.ReadFile(filepath.Join("testdata", "schemas", "0.169.0", file+".command.output.schema.json"))
			if err != nil {
				t.Fatal(err)
			}
			var schema jsonschema.Schema
			if err := json.Unmarshal(b, &schema); err != nil {
				t.Fatal(err)
			}
			resolved, err := schema.Resolve(nil)
			if err != nil {
				t.Fatal(err)
			}
			var doc any
			if err := json.Unmarshal(out, &doc); err != nil {
				t.Fatalf("%s: %v", out, err)
			}
			if err := resolved.Validate(doc); err != nil {
				t.Errorf("%s to the %s: %s: %v", event, to, out, err)
			}
			doc.(map[string]any)["unknown"] = true
			if resolved.Validate(doc) == nil {
				t.Errorf("the schema of %s takes everything", event)
			}
		}
	}
	if toModel != 5 {
		t.Errorf("%d events reach the model, want 5", toModel)
	}
}

func FuzzCodex(f *testing.F) {
	for _, s := range samples(f) {
		f.Add(s.Body)
	}
	f.Add([]byte(`{"hook_event_name":"PostToolUse","tool_name":"apply_patch","tool_input":[],"tool_response":{}}`))
	f.Fuzz(func(t *testing.T, body []byte) { agentstest.Sound(t, read, body) })
}
