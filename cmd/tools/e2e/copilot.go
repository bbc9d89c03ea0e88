package main

import (
	"context"
	"net/http"
	"path/filepath"
)

var _ = declare(client{
	Name: "copilot", Package: "@github/copilot", Version: "1.0.102",
	Program:    "@github/copilot-linux-" + npmArch() + "/copilot",
	Configured: []string{".copilot/hooks"},
	Setup:      func(w *world) error { return w.write(".copilot/config.json", "{}") },
	Connect: func(_ context.Context, w *world, server []string) error {
		return w.write(".copilot/mcp-config.json", encoded(map[string]any{"mcpServers": map[string]any{"journal": map[string]any{
			"type": "local", "command": server[0], "args": server[1:], "tools": []string{"*"},
		}}}))
	},
	// A provider of the person's own needs no login.
	Env: func(w *world) []string {
		return []string{
			"COPILOT_PROVIDER_TYPE=openai", "COPILOT_PROVIDER_BASE_URL=" + w.url + "/v1", "COPILOT_PROVIDER_API_KEY=made-up",
			"COPILOT_MODEL=fake-model", "COPILOT_PROVIDER_MAX_PROMPT_TOKENS=94000", "COPILOT_PROVIDER_MAX_OUTPUT_TOKENS=8000",
			"COPILOT_OFFLINE=true", "COPILOT_AUTO_UPDATE=false", "COPILOT_CACHE_HOME=" + filepath.Join(filepath.Dir(w.program), "cache"),
		}
	},
	Line: func(w *world, prompt string, resumed bool) []string {
		line := []string{w.program, "--allow-all"}
		if resumed {
			line = append(line, "--continue")
		}
		return append(line, "-p", prompt)
	},
	Checks: []check{importAdds(".copilot", "session-state")},
	Serve: func(m *model) http.Handler {
		return chatServer(func(w http.ResponseWriter, body string, hasTools bool) {
			s, n := m.answer(chatKind(body, hasTools, "Please create a detailed summary of the conversation so far."), body)
			chatAnswer(w, s, n, func(c call) (string, map[string]any) { return copilotCall(m, c) })
		})
	},
})

// copilotCall spells a call.
func copilotCall(m *model, c call) (name string, args map[string]any) {
	switch {
	case c.Tool != "":
		return "journal-" + c.Tool, c.With
	case c.Write != nil:
		return "create", map[string]any{"path": filepath.Join(m.project, c.Write[0]), "file_text": c.Write[1]}
	}
	return "bash", map[string]any{"command": c.Shell, "description": "run it"}
}
