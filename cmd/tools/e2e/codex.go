package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

var _ = declare(client{
	Name: "codex", Package: "@openai/codex", Version: "0.171.0",
	Program:    "@openai/codex/bin/codex.js",
	Configured: []string{".codex"},
	Setup: func(w *world) error {
		return w.write(".codex/config.toml", fmt.Sprintf(`model = "gpt-5.5"
model_provider = "fake"
approval_policy = "never"
sandbox_mode = "danger-full-access"
model_auto_compact_token_limit = 50000
check_for_update_on_startup = false

[model_providers.fake]
name = "fake"
base_url = "%s/v1"
wire_api = "responses"
env_key = "FAKE_API_KEY"

[analytics]
enabled = false

[features]
apps = false
plugins = false
daemon_auto_start = false

[projects.%q]
trust_level = "trusted"
`, w.url, w.project))
	},
	Connect: func(ctx context.Context, w *world, server []string) error {
		_, err := w.run(ctx, append([]string{w.program, "mcp", "add", "journal", "--"}, server...)...)
		return err
	},
	Env: func(*world) []string { return []string{"FAKE_API_KEY=made-up"} },
	Line: func(w *world, prompt string, resumed bool) []string {
		line := []string{w.program, "exec", "--dangerously-bypass-hook-trust", "--skip-git-repo-check"}
		if resumed {
			line = append(line, "resume", "--last")
		}
		return append(line, prompt)
	},
	Terminal: func(w *world, prompt string) []string {
		return []string{w.program, "-a", "on-request", "-s", "workspace-write", "--dangerously-bypass-hook-trust", prompt}
	},
	Serve: func(m *model) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			b, err := io.ReadAll(r.Body)
			if err != nil || !strings.HasSuffix(r.URL.Path, "/responses") {
				http.NotFound(w, r)
				return
			}
			kind := "agent"
			if bytes.Contains(b, []byte("CONTEXT CHECKPOINT COMPACTION")) {
				kind = "summary"
			}
			s, n := m.answer(kind, string(b))
			id := fmt.Sprintf("resp_%d", n)
			all := []map[string]any{{"type": "response.created", "response": map[string]any{"id": id}}}
			for i, c := range s.Calls {
				all = append(all, map[string]any{"type": "response.output_item.done", "item": codexCall(c, fmt.Sprintf("call_%d_%d", n, i))})
			}
			if s.Text != "" {
				all = append(all, map[string]any{"type": "response.output_item.done", "item": map[string]any{
					"type": "message", "role": "assistant", "id": fmt.Sprintf("msg_%d", n),
					"content": []any{map[string]any{"type": "output_text", "text": s.Text}},
				}})
			}
			all = append(all, map[string]any{"type": "response.completed", "response": map[string]any{
				"id": id, "usage": map[string]any{"input_tokens": s.Tokens, "output_tokens": 10, "total_tokens": s.Tokens + 10},
			}})
			events(w, true, all...)
		})
	},
	// Most of them check what no hook of the client reports, and its rollout does.
	Checks: []check{
		stepKept,
		{"exit code", func(ctx context.Context, w *world) (string, bool) {
			all, err := w.recorded(ctx)
			for _, e := range all {
				if e.Type == "command.exited" && strings.Contains(string(e.Data), `"exit":1`) {
					return "1", err == nil
				}
			}
			return "none", false
		}},
		{"usage", func(ctx context.Context, w *world) (string, bool) {
			all, err := w.recorded(ctx)
			for _, e := range all {
				if e.Type == "usage.sampled" && strings.Contains(string(e.Data), `"percent":35`) && strings.Contains(string(e.Data), `"window":`) {
					return "35%", err == nil
				}
			}
			return "none", false
		}},
		{"warnings", func(_ context.Context, w *world) (string, bool) {
			b, err := os.ReadFile(w.log.Name())
			n := bytes.Count(b, []byte("\nwarning: ")) - bytes.Count(b, []byte("\nwarning: `--dangerously-bypass-hook-trust`"))
			return fmt.Sprint(n), err == nil && n == 0
		}},
		{"summaries", func(ctx context.Context, w *world) (string, bool) {
			r, err := w.audited(ctx)
			n := 0
			for _, c := range r.Compactions {
				if c.HasSummary {
					n++
				}
			}
			return fmt.Sprint(n), err == nil && n == 2
		}},
		{"kept or restored", func(ctx context.Context, w *world) (string, bool) {
			r, err := w.audited(ctx)
			known, kept := 0, 0
			for _, c := range r.Compactions {
				known += c.Totals.Known
				kept += c.Totals.Told + c.Totals.Kept + c.Totals.Restored
			}
			return fmt.Sprintf("%d of %d", kept, known), err == nil && known > 0 && kept == known
		}},
		{"the last text", func(ctx context.Context, w *world) (string, bool) {
			out, _ := w.journal(ctx, "doctor", "--agent", w.Name) // it may have problems of its own
			if strings.Contains(out, "arrived whole") {
				return "arrived", true
			}
			return "unknown", false
		}},
		importAdds(".codex", "sessions"),
		killed(".codex", "sessions"),
		refused(act{"Useexistingmodel", "2"}, act{"No,andtellCodex", "\x1b"}, act{"nterrupted", "leave it"}),
		stopped(act{"No,andtellCodex", "y"}, act{"Running", "\x1b"}, act{"nterrupted", "leave it"}),
	},
})

// audit is what `journal audit --json` says of each compaction.
type audit struct {
	Compactions []struct {
		HasSummary bool `json:"has_summary"`
		Totals     struct {
			Known, Told, Restored int
			Kept                  int `json:"kept_by_the_client"`
		} `json:"totals"`
	} `json:"compactions"`
}

// audited returns the audit of the newest session.
func (w *world) audited(ctx context.Context) (a audit, err error) {
	out, err := w.journal(ctx, "audit", "--json")
	if err == nil {
		err = json.Unmarshal([]byte(out), &a)
	}
	return a, err
}

// codexCall spells a call as an item of a response.
func codexCall(c call, id string) map[string]any {
	switch {
	case c.Tool != "":
		return map[string]any{"type": "function_call", "namespace": "mcp__journal", "name": c.Tool, "call_id": id, "arguments": encoded(c.With)}
	case c.Write != nil:
		var patch strings.Builder
		fmt.Fprintf(&patch, "*** Begin Patch\n*** Add File: %s\n", c.Write[0])
		for line := range strings.Lines(c.Write[1]) {
			patch.WriteString("+" + strings.TrimSuffix(line, "\n") + "\n")
		}
		patch.WriteString("*** End Patch\n")
		return map[string]any{"type": "custom_tool_call", "name": "apply_patch", "call_id": id, "input": patch.String()}
	}
	with := map[string]any{"cmd": c.Shell}
	if c.Asks {
		with["sandbox_permissions"], with["justification"] = "require_escalated", "It has to be."
	}
	return map[string]any{"type": "function_call", "name": "exec_command", "call_id": id, "arguments": encoded(with)}
}
