package main

import (
	"context"
	"net/http"
)

// The client pi needs node 22.
var _ = declare(client{
	Name: "pi", Package: "@earendil-works/pi-coding-agent", Version: "1.6.0",
	Program:    "@earendil-works/pi-coding-agent/dist/cli.js",
	Configured: []string{".pi/agent"},
	Setup: func(w *world) error {
		err := w.write(".pi/agent/models.json", encoded(map[string]any{"providers": map[string]any{"fake": map[string]any{
			"baseUrl": w.url + "/v1", "apiKey": "made-up", "api": "openai-completions",
			"models": []any{map[string]any{"id": "fake-model", "contextWindow": 100_000, "maxTokens": 8000}},
		}}}))
		if err != nil {
			return err
		}
		return w.write(".pi/agent/settings.json", encoded(map[string]any{
			"defaultProvider": "fake", "defaultModel": "fake-model", "compaction": map[string]any{"keepRecentTokens": 10},
		}))
	},
	Connect: func(ctx context.Context, w *world, server []string) error {
		_, err := w.run(ctx, append([]string{"node", w.program, "mcp", "add", "journal", "--exposure", "direct", "--"}, server...)...)
		return err
	},
	Env: func(*world) []string {
		return []string{"PI_OFFLINE=1", "PI_SKIP_VERSION_CHECK=1", "PI_TELEMETRY=0"}
	},
	Line: func(w *world, prompt string, resumed bool) []string {
		line := []string{"node", w.program}
		if resumed {
			line = append(line, "-c")
		}
		return append(line, "-p", prompt)
	},
	Checks: []check{stepKept, importAdds(".pi", "agent", "sessions")},
	Serve: func(m *model) http.Handler {
		return chatServer(func(w http.ResponseWriter, body string, hasTools bool) {
			kind := "agent"
			if !hasTools {
				kind = "summary"
			}
			s, n := m.answer(kind, body)
			chatAnswer(w, s, n, piCall)
		})
	},
})

// piCall spells a call.
func piCall(c call) (name string, args map[string]any) {
	switch {
	case c.Tool != "":
		return "mcp__journal__" + c.Tool, c.With
	case c.Write != nil:
		return "write", map[string]any{"path": c.Write[0], "content": c.Write[1]}
	}
	return "bash", map[string]any{"command": c.Shell}
}
