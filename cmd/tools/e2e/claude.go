package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

var _ = declare(claude("mcp__journal__", "Bash(echo:*),Bash(cat:*)"))

// claudeKey is the API key for the model's server.
const claudeKey = "sk-ant-made-up"

// claude returns the client with the hooks of `journal install`. tools is the prefix of the names of journal's MCP tools; shell
// are the commands that it may run in addition to those that the rules of install allow.
func claude(tools, shell string) client {
	return client{
		Name: "claude", Package: "@anthropic-ai/claude-code", Version: "2.1.332",
		Program:    "@anthropic-ai/claude-code-linux-" + npmArch() + "/claude",
		Configured: []string{".claude"},
		Setup: func(w *world) error {
			return w.write(".claude.json", encoded(map[string]any{
				"hasCompletedOnboarding": true, "theme": "dark", "lastOnboardingVersion": w.Version,
				"customApiKeyResponses": map[string]any{"approved": []string{claudeKey}, "rejected": []string{}},
				"projects":              map[string]any{w.project: map[string]any{"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true}},
			}))
		},
		Env: func(w *world) []string {
			return []string{
				"ANTHROPIC_BASE_URL=" + w.url, "ANTHROPIC_API_KEY=" + claudeKey, "DISABLE_TELEMETRY=1", "DISABLE_AUTOUPDATER=1",
				"DISABLE_ERROR_REPORTING=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "CLAUDE_CODE_AUTO_COMPACT_WINDOW=100000",
			}
		},
		Connect: func(ctx context.Context, w *world, server []string) error {
			_, err := w.run(ctx, append([]string{w.program, "mcp", "add", "--scope", "user", "journal", "--"}, server...)...)
			return err
		},
		Tasks: []string{"--tools", "Bash,Write,Edit,Read,TaskCreate", "--allowedTools", "TaskCreate"},
		Terminal: func(w *world, prompt string) []string {
			return []string{w.program, prompt, "--permission-mode", "default", "--allowedTools", "Write,Edit,Read," + shell + "," + strings.TrimSuffix(tools, "__")}
		},
		Checks: []check{
			stepKept, killed(".claude", "projects"),
			refused(act{"Doyouwanttoproceed?", "\x1b"}, act{"WhatshouldClaudedoinstead", "leave it"}),
			stopped(act{"Running", "\x1b"}, act{"WhatshouldClaudedoinstead", "leave it"}), unrun,
		},
		Line: func(w *world, prompt string, resumed bool) []string {
			line := []string{w.program, "-p", prompt, "--allowedTools", "Write,Edit,Read," + shell + "," + strings.TrimSuffix(tools, "__")}
			if resumed {
				line = append(line, "--continue")
			}
			return line
		},
		Serve: func(m *model) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				b, err := io.ReadAll(r.Body)
				if err != nil || r.URL.Path != "/v1/messages" {
					http.NotFound(w, r)
					return
				}
				var asked struct {
					Stream bool
					Model  string
					Tools  []json.RawMessage
				}
				_ = json.Unmarshal(b, &asked) // what is no request has no tools
				kind := "agent"
				switch {
				case strings.Contains(string(b), "create a detailed summary of") && strings.Contains(string(b), `<analysis>`):
					kind = "summary"
				case len(asked.Tools) == 0:
					kind = "side"
				}
				s, n := m.answer(kind, string(b))
				if kind == "summary" {
					s.Text = "<analysis>looked</analysis>\n<summary>\n" + s.Text + "\n</summary>"
				}
				claudeAnswer(w, s, n, tools, asked.Model, asked.Stream)
			})
		},
	}
}

// claudeAnswer writes a message, whole or as a stream.
func claudeAnswer(w http.ResponseWriter, s step, n int, tools, name string, stream bool) {
	usage := map[string]any{"input_tokens": s.Tokens, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 10}
	content, stop := []map[string]any{}, "end_turn"
	if s.Text != "" {
		content = append(content, map[string]any{"type": "text", "text": s.Text})
	}
	for i, c := range s.Calls {
		call := map[string]any{"type": "tool_use", "id": fmt.Sprintf("toolu_%d_%d", n, i), "name": "Bash", "input": map[string]any{"command": c.Shell, "description": "Run it"}}
		switch {
		case c.Tool != "":
			call["name"], call["input"] = tools+c.Tool, c.With
		case c.Own != "":
			call["name"], call["input"] = c.Own, c.With
		case c.Todo != "":
			call["name"], call["input"] = "TaskCreate", map[string]any{"subject": c.Todo, "description": c.Todo}
		case c.Write != nil:
			call["name"], call["input"] = "Write", map[string]any{"file_path": c.Write[0], "content": c.Write[1]}
		}
		content, stop = append(content, call), "tool_use"
	}
	message := map[string]any{
		"id": fmt.Sprintf("msg_%d", n), "type": "message", "role": "assistant", "model": name, "content": content,
		"stop_reason": stop, "stop_sequence": nil, "usage": usage,
	}
	if !stream {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, encoded(message))
		return
	}
	message["content"], message["stop_reason"] = []any{}, nil
	all := []map[string]any{{"type": "message_start", "message": message}}
	for i, block := range content {
		begun, delta := map[string]any{"type": "text", "text": ""}, map[string]any{"type": "text_delta", "text": block["text"]}
		if block["type"] == "tool_use" {
			begun = map[string]any{"type": "tool_use", "id": block["id"], "name": block["name"], "input": map[string]any{}}
			delta = map[string]any{"type": "input_json_delta", "partial_json": encoded(block["input"])}
		}
		all = append(all,
			map[string]any{"type": "content_block_start", "index": i, "content_block": begun},
			map[string]any{"type": "content_block_delta", "index": i, "delta": delta},
			map[string]any{"type": "content_block_stop", "index": i})
	}
	events(w, true, append(all,
		map[string]any{"type": "message_delta", "delta": map[string]any{"stop_reason": stop, "stop_sequence": nil}, "usage": usage},
		map[string]any{"type": "message_stop"})...)
}
