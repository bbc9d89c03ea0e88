package opencode_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"journal/cmd/testkit/agentstest"
	"journal/events"
	"journal/journal/agents"
	"journal/journal/agents/opencode"
	"journal/journal/wire"
)

var read = agentstest.Reader(opencode.Dialect)

// samples are recorded calls of the plugin.
func samples(t testing.TB) (all []agentstest.Sample) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "plugin", "calls.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSpace(string(b)), "\n") {
		var call struct{ Hook string }
		if err := json.Unmarshal([]byte(line), &call); err != nil {
			t.Fatal(err)
		}
		all = append(all, agentstest.Sample{Name: fmt.Sprintf("calls/%02d-%s", i+1, call.Hook), Body: []byte(line)})
	}
	return all
}

// of returns a call of the plugin.
func of(t *testing.T, hook string, members map[string]any) []byte {
	t.Helper()
	return agentstest.Payload(t, map[string]any{"hook": hook, "session": "s-1", "lane": "", "directory": "/home/dev/project", "worktree": "/home/dev/project", "pid": 42}, members)
}

// TestOpenCodeGolden: the meaning of each call of the plugin.
func TestOpenCodeGolden(t *testing.T) {
	t.Parallel()
	agentstest.Goldens(t, samples(t), read)
}

// TestPrompt: a prompt is the person's words: without the client's quotes around it, and not a parent's words to its
// subagent.
func TestPrompt(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		`"create two files"`: "create two files",
		`"say \"hi\" twice"`: `say "hi" twice`,
		`say "hi"`:           `say "hi"`,
		`"a" or "b"`:         `"a" or "b"`,
		`"use\ngh` + `p_0123456789abcdefghijABCDEFGHIJ012345"`: "use\n[redacted:github-token]",
		"": "",
	} {
		if h := read(of(t, "chat.message", map[string]any{"text": given})).Hook; h.Text != want || h.Machine {
			t.Errorf("%s: %q, by a machine %v", given, h.Text, h.Machine)
		}
	}
	if h := read(of(t, "chat.message", map[string]any{"text": "x", "lane": "child"})).Hook; !h.Machine {
		t.Error("a parent's words to its subagent are a person's")
	}
}

// TestToolEnds: how a tool call ended.
func TestToolEnds(t *testing.T) {
	t.Parallel()
	bash := func(exit int, output string) []byte {
		return of(t, "tool.execute.after", map[string]any{
			"tool": "bash", "callID": "c", "args": map[string]any{"command": "make | tail"}, "output": output,
			"metadata": map[string]any{"output": output, "exit": exit},
		})
	}
	if e := agentstest.Recognised[events.CommandRan](t, read(bash(2, "no rule\n"))); !e.Failed || e.Exit != 2 || e.Error != "no rule\n" || e.Output != "" {
		t.Errorf("a failure: %+v", e)
	}
	if e := agentstest.Recognised[events.CommandRan](t, read(bash(0, "make: *** [all] Error 2\n"))); e.Failed || e.Mark == "" {
		t.Errorf("a failure that a pipe hides: %+v", e)
	}
	thrown := func(text string) agents.Report {
		return read(of(t, "tool.error", map[string]any{"tool": "edit", "callID": "c", "args": map[string]any{"filePath": "a.go"}, "error": text}))
	}
	refused := agentstest.Recognised[events.ToolRefused](t, thrown("The user rejected permission to use this specific tool call with the following feedback: not that one"))
	if refused.Words != "not that one" || refused.Target != "/home/dev/project/a.go" {
		t.Errorf("a refusal: %+v", refused)
	}
	if h := thrown("Tool execution aborted").Hook; !h.Tool.Aborted {
		t.Errorf("an interruption: %+v", h.Tool)
	}
}

// TestLastWords: the agent's last words are reported when its context is about to be compacted.
func TestLastWords(t *testing.T) {
	t.Parallel()
	rep := read(of(t, "experimental.session.compacting", map[string]any{"said": "First the rafters.", "calls": 2}))
	all := events.Recognise(rep.Hook)
	if want := events.Event(events.MomentRecorded{Said: "First the rafters.", Calls: 2}); len(all) != 2 || !cmp.Equal(all[1], want) {
		t.Errorf("%+v", all)
	}
}

func TestOwed(t *testing.T) {
	t.Parallel()
	for hook, want := range map[string]string{
		"session.created": wire.StartText, "session.resumed": wire.RecoveryText, "session.compacted": wire.RecoveryText,
		"chat.message": wire.DueText, "experimental.session.compacting": wire.Guidance, "session.idle": wire.StopAdvice,
		"tool.execute.after": wire.DueAtWork, "tool.error": "", "todo.updated": "", "dispose": "", "usage": "", "of.next.year": "",
	} {
		rep := read(of(t, hook, map[string]any{"tool": "read", "callID": "c"}))
		if rep.AnswerKind != want || rep.Quick != (hook == "dispose") {
			t.Errorf("%s is owed %q, quick %v", hook, rep.AnswerKind, rep.Quick)
		}
	}
}

func FuzzOpenCode(f *testing.F) {
	for _, s := range samples(f) {
		f.Add(s.Body)
	}
	f.Add([]byte(`{"hook":"tool.execute.after","tool":"read","args":[],"metadata":{"exit":"x"}}`))
	f.Fuzz(func(t *testing.T, body []byte) { agentstest.Sound(t, read, body) })
}
