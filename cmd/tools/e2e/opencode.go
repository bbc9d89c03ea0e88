package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

var _ = declare(client{
	Name: "opencode", Package: "opencode-ai", Version: "1.18.33",
	Program:    "opencode-linux-" + npmArch() + "/bin/opencode",
	Configured: []string{".config/opencode"},
	Setup: func(w *world) error {
		// A start would wait for the registry otherwise.
		if err := w.write(".npmrc", "offline=true\nfetch-retries=0\n"); err != nil {
			return err
		}
		return openCodeSettings(w, map[string]any{})
	},
	Connect: func(_ context.Context, w *world, server []string) error {
		return openCodeSettings(w, map[string]any{"journal": map[string]any{"type": "local", "command": server, "enabled": true}})
	},
	Env: func(*world) []string {
		return []string{
			"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1",
			"OPENCODE_DISABLE_SHARE=1", "OPENCODE_DISABLE_DEFAULT_PLUGINS=1",
		}
	},
	Line: func(w *world, prompt string, resumed bool) []string {
		line := []string{w.program, "run"}
		if resumed {
			line = append(line, "-c")
		}
		return append(line, prompt)
	},
	Terminal: func(w *world, prompt string) []string {
		return []string{"env", `OPENCODE_PERMISSION={"bash":"ask"}`, w.program, "--prompt", prompt}
	},
	Checks: []check{
		stepKept, {"titles", func(_ context.Context, w *world) (string, bool) {
			asked := w.model.requests("side")
			told := strings.Count(strings.Join(asked, ""), "decide TEXT")
			return fmt.Sprintf("%d told", told), len(asked) > 0 && told == 0
		}}, importAdds(".local", "share", "opencode"),
		refused(act{"Permissionrequired", "\x1b"}, act{"tabagents", "leave it"}),
	},
	Serve: func(m *model) http.Handler {
		return chatServer(func(w http.ResponseWriter, body string, hasTools bool) {
			s, n := m.answer(chatKind(body, hasTools, "Here is the conversation so far"), body)
			chatAnswer(w, s, n, openCodeCall)
		})
	},
})

// openCodeSettings writes the configuration, with these MCP servers.
func openCodeSettings(w *world, servers map[string]any) error {
	return w.write(".config/opencode/opencode.json", encoded(map[string]any{
		"model": "fake/fake-model", "small_model": "fake/fake-model", "permission": map[string]any{"*": "allow"}, "mcp": servers,
		"provider": map[string]any{"fake": map[string]any{
			"npm": "@ai-sdk/openai-compatible", "name": "fake", "options": map[string]any{"baseURL": w.url + "/v1", "apiKey": "made-up"},
			"models": map[string]any{"fake-model": map[string]any{
				"name": "fake", "tool_call": true, "limit": map[string]any{"context": 90_000, "output": 8000},
			}},
		}},
	}))
}

// openCodeCall spells a call.
func openCodeCall(c call) (name string, args map[string]any) {
	switch {
	case c.Tool != "":
		return "journal_" + c.Tool, c.With
	case c.Write != nil:
		return "write", map[string]any{"filePath": c.Write[0], "content": c.Write[1]}
	}
	return "bash", map[string]any{"command": c.Shell, "description": "run it"}
}

// chatServer returns a server of the chat completions API. answer gets the body of each request, and whether it offers tools.
func chatServer(answer func(w http.ResponseWriter, body string, hasTools bool)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err != nil || !strings.HasSuffix(r.URL.Path, "/chat/completions") {
			http.NotFound(w, r)
			return
		}
		var asked struct{ Tools []json.RawMessage }
		_ = json.Unmarshal(b, &asked) // what is no request has no tools
		answer(w, string(b), len(asked.Tools) > 0)
	})
}

// chatKind returns the kind of a request. Requests for a summary contain a phrase; others without tools are no request of the agent.
func chatKind(body string, hasTools bool, phrase string) string {
	switch {
	case strings.Contains(body, phrase):
		return "summary"
	case !hasTools:
		return "side"
	}
	return "agent"
}

// chatAnswer streams an answer of the chat completions API.
func chatAnswer(w http.ResponseWriter, s step, n int, spelled func(call) (name string, args map[string]any)) {
	chunk := func(delta map[string]any, finish any) map[string]any {
		return map[string]any{
			"id": fmt.Sprintf("chat-%d", n), "object": "chat.completion.chunk", "created": 1, "model": "fake-model",
			"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}},
		}
	}
	all := []map[string]any{chunk(map[string]any{"role": "assistant", "content": s.Text}, nil)}
	finish := "stop"
	for i, c := range s.Calls {
		name, args := spelled(c)
		finish = "tool_calls"
		all = append(all, chunk(map[string]any{"tool_calls": []any{map[string]any{
			"index": i, "id": fmt.Sprintf("call_%d_%d", n, i), "type": "function",
			"function": map[string]any{"name": name, "arguments": encoded(args)},
		}}}, nil))
	}
	last := chunk(map[string]any{}, finish)
	last["usage"] = map[string]any{"prompt_tokens": s.Tokens, "completion_tokens": 10, "total_tokens": s.Tokens + 10}
	events(w, false, append(all, last)...)
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}
