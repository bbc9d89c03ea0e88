package claude_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"journal/cmd/testkit/agentstest"
	"journal/events"
)

// prose returns n bytes of words without repetitions.
func prose(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "word%d \"é\" ", i)
	}
	return b.String()[:n-1] + "."
}

// TestClaudeWholeTexts: the words of a person or the model are kept up to 256 KiB, beside everything else in a payload
// (ADR-0014 rule 2).
func TestClaudeWholeTexts(t *testing.T) {
	t.Parallel()
	type m = map[string]any
	tests := []struct {
		name, event string
		members     func(text string) m
		kept        func(h events.Hook) string
	}{
		{"prompt", "UserPromptSubmit", func(s string) m { return m{"prompt": s} }, text},
		{"summary", "PostCompact", func(s string) m { return m{"compact_summary": s} }, text},
		{"instructions", "PreCompact", func(s string) m { return m{"custom_instructions": s} }, text},
		{"answer", "Stop", func(s string) m { return m{"last_assistant_message": s} }, text},
		{"answer of a subagent", "SubagentStop", func(s string) m {
			return m{"agent_type": "Explore", "agent_id": "a1", "last_assistant_message": s}
		}, text},
		{"todo", "PostToolUse", func(s string) m {
			return m{"tool_name": "TodoWrite", "tool_input": m{"todos": []m{{"content": "first"}, {"content": s}}}}
		}, func(h events.Hook) string { return h.Tool.Todos[1].Text }},
		{"task, by tool", "PostToolUse", func(s string) m {
			return m{
				"tool_name": "TaskCreate", "tool_input": m{"subject": "s", "description": s},
				"tool_response": m{"task": m{"id": "1", "description": s}},
			}
		}, func(h events.Hook) string { return h.Tasks[0].Detail }},
		{"task, by hook", "TaskCreated", func(s string) m {
			return m{"task_id": "1", "task_description": s}
		}, func(h events.Hook) string { return h.Tasks[0].Detail }},
		{"task of a subagent", "PostToolUse", func(s string) m {
			return m{"tool_name": "Agent", "tool_input": m{"prompt": s}, "tool_response": m{"prompt": s}}
		}, inRest("tool_input", "prompt")},
		{"plan", "PostToolUse", func(s string) m {
			return m{"tool_name": "ExitPlanMode", "tool_input": m{}, "tool_response": m{"plan": s}}
		}, func(h events.Hook) string { return h.Tool.Plan }},
		{"answer of the person", "PostToolUse", func(s string) m {
			return m{"tool_name": "AskUserQuestion", "tool_response": m{"answers": m{"Why?": s}}}
		}, func(h events.Hook) string { return h.Tool.Answers[0].Answer }},
		{"summary of the summariser", "SubagentStop", func(s string) m {
			return m{"agent_type": "", "last_assistant_message": s}
		}, inRest("last_assistant_message")},
	}
	for _, test := range tests {
		for _, size := range []int{200 << 10, 256 << 10} {
			t.Run(fmt.Sprintf("%s of %d KiB", test.name, size>>10), func(t *testing.T) {
				t.Parallel()
				want := prose(size)
				rep := read(t, payloadWith(t, test.event, test.members(want)))
				if got := test.kept(rep.Hook); got != want {
					t.Errorf("%d bytes of %d: %.40q … %q", len(got), len(want), got, got[max(0, len(got)-20):])
				}
				agentstest.Stored(t, rep)
			})
		}
	}
}

func text(h events.Hook) string { return h.Text }

func inRest(names ...string) func(events.Hook) string {
	return func(h events.Hook) string {
		var v any
		if json.Unmarshal(h.Rest, &v) != nil {
			return "no JSON"
		}
		for _, name := range names {
			v = v.(map[string]any)[name]
		}
		return v.(string)
	}
}

// TestClaudeBigWrite: a big written file leaves its path and the ends of its text.
func TestClaudeBigWrite(t *testing.T) {
	t.Parallel()
	body := prose(300 << 10)
	rep := read(t, bigWrite(t, body))
	all := agentstest.Stored(t, rep)
	if len(all) != 1 || len(all[0]) > 64<<10 {
		t.Errorf("%d events, the first of %d bytes", len(all), len(all[0]))
	}
	if e := agentstest.Recognised[events.FileWritten](t, rep); e.Path != "/home/dev/project/big.txt" || e.Op != "write" {
		t.Errorf("got %+v", e)
	}
	content := inRest("tool_input", "content")(rep.Hook)
	if !strings.HasPrefix(content, body[:4<<10]) || !strings.HasSuffix(content, body[len(body)-2<<10:]) {
		t.Errorf("content is %.60q", content)
	}
	if bytes.Contains(rep.Hook.Rest, []byte("structuredPatch")) {
		t.Error("the body of the file is in the rest")
	}
}

func bigWrite(t testing.TB, body string) []byte {
	t.Helper()
	return payloadWith(t, "PostToolUse", map[string]any{
		"tool_name": "Write", "tool_use_id": "toolu_1", "duration_ms": 12,
		"tool_input": map[string]any{"file_path": "/home/dev/project/big.txt", "content": body},
		"tool_response": map[string]any{
			"type": "create", "filePath": "/home/dev/project/big.txt", "content": body,
			"structuredPatch": []any{}, "originalFile": nil,
		},
	})
}

// TestClaudeAlwaysFits: the report of any hook can be appended, and its rest is JSON, although JSON takes up to six
// bytes for one, and names cost too.
func TestClaudeAlwaysFits(t *testing.T) {
	t.Parallel()
	many := func(n int, f func(i int) any) []any {
		all := make([]any, n)
		for i := range all {
			all[i] = f(i)
		}
		return all
	}
	type m = map[string]any
	control := strings.Repeat("\x01", 15<<10)
	long := strings.Repeat("s", 15<<10)
	tests := map[string][]byte{
		"edits of control characters": payloadWith(t, "PostToolUse", m{
			"tool_name": "MultiEdit", "tool_use_id": "u", "tool_input": m{
				"file_path": "/f", "edits": many(100, func(int) any { return m{"old_string": control, "new_string": control} }),
			},
		}),
		"edits of quotes": payloadWith(t, "PostToolUse", m{
			"tool_name": "MultiEdit", "tool_use_id": "u", "tool_input": m{
				"file_path": "/f", "edits": many(100, func(int) any { return m{"old_string": strings.Repeat(`"\`, 7<<10)} }),
			},
		}),
		"many short todos": payloadWith(t, "PostToolUse", m{
			"tool_name": "TodoWrite", "tool_input": m{"todos": many(20_000, func(int) any { return m{"content": "", "status": "", "x": ""} })},
		}),
		"many long todos": payloadWith(t, "PostToolUse", m{
			"tool_name":  "TodoWrite",
			"tool_input": m{"todos": many(20, func(i int) any { return m{"content": prose(40 << 10), "activeForm": control} })},
		}),
		"todos of nothing but text": payloadWith(t, "PostToolUse", m{
			"tool_name":  "TodoWrite",
			"tool_input": m{"todos": many(20, func(int) any { return m{"content": prose(40 << 10)} })},
		}),
		"many small things": payloadWith(t, "Elicitation", m{"all": many(15_000, func(i int) any { return []any{i, m{"\x02": "\x01"}} })}),
		"a prompt and control characters": payloadWith(t, "UserPromptSubmit", m{
			"prompt": prose(256 << 10), "more": many(40, func(int) any { return control }),
		}),
		"a plan and answers of everything": payloadWith(t, "PostToolUse", m{
			"tool_name": "AskUserQuestion", "tool_response": m{"answers": m{"a": prose(200 << 10), "b": prose(200 << 10), control: control}},
			"tool_input": m{"answers": m{"a": strings.Repeat(`"`, 200<<10)}},
		}),
		"a plan of quotes, twice": payloadWith(t, "PostToolUse", m{
			"tool_name": "ExitPlanMode", "tool_response": m{"plan": strings.Repeat(`"`, 256<<10), "filePath": "/nowhere"},
			"tool_input": m{"plan": strings.Repeat(`\\`, 256<<10), "allowedPrompts": many(40, func(int) any { return control })},
		}),
		"a summary of control characters": payloadWith(t, "SubagentStop", m{
			"agent_type": "", "last_assistant_message": strings.Repeat("\x01", 250<<10),
		}),
		"long names of everything": payloadWith(t, "SessionStart", m{
			"session_id": long, "agent_id": long, "prompt_id": long, "cwd": "/" + long, "model": long,
			"transcript_path": long, "source": long, "rest": many(40, func(int) any { return control }),
		}),
		"broken off": bytes.TrimSuffix(payloadWith(t, "Elicitation", m{"all": many(100, func(int) any { return control })}), []byte("}")),
	}
	for name, body := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rep := read(t, body)
			agentstest.Stored(t, rep)
			if rep.Hook.Rest != nil && !json.Valid(rep.Hook.Rest) {
				t.Errorf("rest is no JSON: %.200s", rep.Hook.Rest)
			}
			if rep.Hook.Session == "" {
				t.Error("no session")
			}
		})
	}
}

// TestClaudeShrunkRest: a shortened rest keeps all names, and the beginnings or at least the lengths of the texts.
func TestClaudeShrunkRest(t *testing.T) {
	t.Parallel()
	const count, size = 20, 14 << 10
	var edits []any
	for i := range count {
		edits = append(edits, map[string]any{"old_string": fmt.Sprintf("edit %02d", i) + strings.Repeat("\x01", size)})
	}
	rep := read(t, payloadWith(t, "PostToolUse", map[string]any{
		"tool_name": "MultiEdit", "tool_use_id": "u", "tool_input": map[string]any{"file_path": "/f", "edits": edits},
	}))
	agentstest.Stored(t, rep)
	if e := agentstest.Recognised[events.FileWritten](t, rep); e.Path != "/f" {
		t.Errorf("got %+v", e)
	}
	var rest struct {
		Input struct {
			Edits []map[string]string `json:"edits"`
		} `json:"tool_input"`
	}
	if err := json.Unmarshal(rep.Hook.Rest, &rest); err != nil {
		t.Fatal(err)
	}
	if len(rest.Input.Edits) != count {
		t.Fatalf("%d edits of %d", len(rest.Input.Edits), count)
	}
	for i, edit := range rest.Input.Edits {
		text := edit["old_string"]
		if begins := strings.HasPrefix(text, fmt.Sprintf("edit %02d\x01", i)); !begins && i < count/2 || !strings.Contains(text, "…[+1") {
			t.Errorf("edit %d is %.60q", i, text)
		}
	}
}

// repeated reads n bytes of one letter.
type repeated struct{ n int64 }

func (r *repeated) Read(p []byte) (int, error) {
	if r.n == 0 {
		return 0, io.EOF
	}
	n := min(int64(len(p)), r.n)
	for i := range p[:n] {
		p[i] = 'y'
	}
	r.n -= n
	return int(n), nil
}

// TestClaudeHugeText: the session after a text of 100 MB is found in bounded memory; TestHugePayload of the program
// measures the time. Not parallel: it measures the process.
func TestClaudeHugeText(t *testing.T) {
	body := func() io.Reader {
		return io.MultiReader(
			strings.NewReader(`{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"yes"},"tool_response":{"stdout":"`),
			&repeated{100 << 20},
			strings.NewReader(`"},"tool_use_id":"toolu_9","session_id":"behind"}`),
		)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	rep := dialect(t).Read(body(), env())
	runtime.ReadMemStats(&after)
	e := agentstest.Recognised[events.CommandRan](t, rep)
	if rep.Hook.Session != "behind" || rep.Hook.Broken != "" || e.Use != "toolu_9" || len(e.Output) > 16<<10 {
		t.Errorf("session %q, broken %q, call %q, output of %d bytes", rep.Hook.Session, rep.Hook.Broken, e.Use, len(e.Output))
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > 4<<20 {
		t.Errorf("allocated %d KiB", got>>10)
	}
	t.Logf("%d KiB allocated", (after.TotalAlloc-before.TotalAlloc)>>10)
}

// TestClaudeBrokenOff: a payload that breaks off anywhere is marked as broken, keeps what came before the break, and
// can be appended.
func TestClaudeBrokenOff(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"captured/PostToolUse.Bash", "captured/SessionStart.compact", "captured/PostToolUse.TodoWrite"} {
		body := bytes.TrimSpace(named(t, name))
		whole := read(t, body)
		if whole.Hook.Broken != "" {
			t.Fatal(whole.Hook.Broken)
		}
		session := `"` + whole.Hook.Session + `"`
		from := bytes.Index(body, []byte(session)) + len(session)
		for n := range len(body) {
			rep := read(t, body[:n])
			h := rep.Hook
			if h.Broken == "" || rep.AnswerKind != "" {
				t.Fatalf("%s to byte %d: broken %q, owed %q", name, n, h.Broken, rep.AnswerKind)
			}
			if want := n >= from; (h.Session == whole.Hook.Session) != want {
				t.Fatalf("%s to byte %d: session %q", name, n, h.Session)
			}
			if want := n >= from; (h.Rest != nil) != want || h.Rest != nil && !json.Valid(h.Rest) {
				t.Fatalf("%s to byte %d: rest %s", name, n, h.Rest)
			}
			e := agentstest.Recognised[events.HookReceived](t, rep)
			if e.Broken != h.Broken {
				t.Fatalf("%s to byte %d: %+v", name, n, e)
			}
			agentstest.Stored(t, rep)
		}
	}
}

// TestClaudeBrokenKeepsAll: everything before the break is in the rest, including texts of the hook's fields: the event
// of a broken hook has none of them.
func TestClaudeBrokenKeepsAll(t *testing.T) {
	t.Parallel()
	body := bytes.TrimSpace(named(t, "captured/PostToolUse.Bash"))
	rep := read(t, body[:len(body)-1])
	rest := map[string]bool{}
	for _, l := range leaves(parse(t, rep.Hook.Rest), "") {
		rest[l.path+fmt.Sprint(l.value)] = true
	}
	for _, l := range leaves(parse(t, body), "") {
		if l.path != "duration_ms" && !rest[l.path+fmt.Sprint(l.value)] { // a number may continue
			t.Errorf("%s = %v is kept nowhere", l.path, l.value)
		}
	}
}

// TestClaudeDamaged: the same for any cut of any sample, and for bytes after the document.
func TestClaudeDamaged(t *testing.T) {
	t.Parallel()
	samples := samples(t, "")
	rapid.Check(t, func(rt *rapid.T) {
		body := bytes.TrimSpace(rapid.SampledFrom(samples).Draw(rt, "sample").Body)
		n := rapid.IntRange(0, len(body)-1).Draw(rt, "cut")
		damaged := body[:n:n]
		if rapid.Bool().Draw(rt, "behind") {
			damaged = append(body[:len(body):len(body)], body[n:]...)
		}
		rep := read(t, damaged)
		if rep.Hook.Broken == "" {
			rt.Errorf("%s is not broken", damaged)
		}
		agentstest.Stored(t, rep)
	})
}
