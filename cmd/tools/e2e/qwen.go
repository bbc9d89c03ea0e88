package main

import (
	"context"
	"net/http"
	"path/filepath"
)

// The Qwen Code client needs node 22.
var _ = declare(client{
	Name: "qwen", Package: "@qwen-code/qwen-code", Version: "0.24.4",
	Program:    "@qwen-code/qwen-code/cli-entry.js",
	Configured: []string{".qwen"},
	Setup: func(w *world) error {
		return w.write(".qwen/settings.json", encoded(map[string]any{
			"security":  map[string]any{"auth": map[string]any{"selectedType": "openai"}, "folderTrust": map[string]any{"enabled": false}},
			"general":   map[string]any{"disableAutoUpdate": true, "enableAutoUpdate": false},
			"privacy":   map[string]any{"usageStatisticsEnabled": false},
			"telemetry": map[string]any{"enabled": false},
			"memory":    map[string]any{"enableManagedAutoMemory": false},
			"model":     map[string]any{"generationConfig": map[string]any{"contextWindowSize": 100_000}},
		}))
	},
	Connect: func(ctx context.Context, w *world, server []string) error {
		_, err := w.run(ctx, append([]string{"node", w.program, "mcp", "add", "--scope", "user", "journal"}, server...)...)
		return err
	},
	Env: func(w *world) []string {
		return []string{"OPENAI_API_KEY=made-up", "OPENAI_BASE_URL=" + w.url + "/v1", "OPENAI_MODEL=qwen3-coder-plus"}
	},
	Line: func(w *world, prompt string, resumed bool) []string {
		line := []string{"node", w.program, "-y"}
		if resumed {
			line = append(line, "-c")
		}
		return append(line, "-p", prompt)
	},
	Terminal: func(w *world, prompt string) []string {
		return []string{"node", w.program, "-i", prompt}
	},
	Checks: []check{
		importAdds(".qwen", "projects"),
		refused(act{"Allowexecution", "\x1b"}, act{"Typeyourmessage", "leave it"}),
	},
	Serve: func(m *model) http.Handler {
		return chatServer(func(w http.ResponseWriter, body string, hasTools bool) {
			kind := chatKind(body, hasTools, "produce the <state_snapshot> XML")
			s, n := m.answer(kind, body)
			if kind == "summary" {
				s.Text = "<state_snapshot>\n" + s.Text + "\n</state_snapshot>"
				s.Tokens = fullContext // the size of what is summarised: with fewer tokens the client takes the summary for longer than that
			}
			chatAnswer(w, s, n, func(c call) (string, map[string]any) { return qwenCall(m, c) })
		})
	},
})

// qwenCall returns the name and the arguments of a call as Qwen Code has them.
func qwenCall(m *model, c call) (name string, args map[string]any) {
	switch {
	case c.Tool != "":
		return "mcp__journal__" + c.Tool, c.With
	case c.Write != nil:
		return "write_file", map[string]any{"file_path": filepath.Join(m.project, c.Write[0]), "content": c.Write[1]}
	}
	return "run_shell_command", map[string]any{"command": c.Shell, "description": "run it", "is_background": false}
}
