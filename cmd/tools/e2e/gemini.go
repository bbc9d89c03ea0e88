package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
)

var _ = declare(client{
	Name: "gemini", Package: "@google/gemini-cli", Version: "0.61.0",
	Program:    "@google/gemini-cli/bundle/gemini.js",
	Configured: []string{".gemini"},
	Setup: func(w *world) error {
		return w.write(".gemini/settings.json", encoded(map[string]any{
			"security":    map[string]any{"auth": map[string]any{"selectedType": "gemini-api-key"}, "folderTrust": map[string]any{"enabled": false}},
			"general":     map[string]any{"disableAutoUpdate": true, "enableAutoUpdate": false},
			"privacy":     map[string]any{"usageStatisticsEnabled": false},
			"telemetry":   map[string]any{"enabled": false},
			"ide":         map[string]any{"enabled": false},
			"hooksConfig": map[string]any{"enabled": true},
			"model":       map[string]any{"compressionThreshold": 0.05},
		}))
	},
	Connect: func(ctx context.Context, w *world, server []string) error {
		_, err := w.run(ctx, append([]string{"node", w.program, "mcp", "add", "--scope", "user", "journal"}, server...)...)
		return err
	},
	Env: func(w *world) []string {
		return []string{"GEMINI_API_KEY=made-up", "GOOGLE_GEMINI_BASE_URL=" + w.url, "GEMINI_CLI_NO_RELAUNCH=1"}
	},
	Line: func(w *world, prompt string, resumed bool) []string {
		line := []string{"node", w.program, "-m", "gemini-2.5-flash", "-y"}
		if resumed {
			line = append(line, "-r", "latest")
		}
		return append(line, "-p", prompt)
	},
	Terminal: func(w *world, prompt string) []string {
		return []string{"node", w.program, "-m", "gemini-2.5-flash", "-i", prompt}
	},
	Checks: []check{
		{"window", func(ctx context.Context, w *world) (string, bool) {
			all, err := w.recorded(ctx)
			if err != nil || len(all) == 0 {
				return fmt.Sprint(err), false
			}
			out, err := w.journal(ctx, "replay", "--session", all[len(all)-1].Session, "--projection", "pressure", "--json")
			return "known", err == nil && strings.Contains(out, `"window": 1048576`)
		}},
		refused(act{"No,suggestchanges", "\x1b"}, act{"cancelled", "leave it"}),
	},
	Serve: func(m *model) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			b, err := io.ReadAll(r.Body)
			streams := strings.Contains(r.URL.Path, ":streamGenerateContent")
			if err != nil || !streams && !strings.Contains(r.URL.Path, ":generateContent") {
				http.NotFound(w, r)
				return
			}
			kind, body := "agent", string(b)
			switch {
			case strings.Contains(body, "Generate a new <state_snapshot>"), strings.Contains(body, "Critically evaluate the <state_snapshot>"):
				kind = "summary"
			case !streams:
				kind = "side"
			}
			s, _ := m.answer(kind, body)
			if kind == "summary" {
				s.Text = "<state_snapshot>\n" + s.Text + "\n</state_snapshot>"
			}
			answer := geminiAnswer(s)
			if !streams {
				w.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(w, encoded(answer))
				return
			}
			events(w, false, answer)
		})
	},
})

// geminiAnswer spells an answer whole: the client takes it in one piece.
func geminiAnswer(s step) map[string]any {
	var parts []any
	if s.Text != "" {
		parts = append(parts, map[string]any{"text": s.Text})
	}
	for _, c := range s.Calls {
		name, args := "run_shell_command", map[string]any{"command": c.Shell, "description": "run it"}
		switch {
		case c.Tool != "":
			name, args = "mcp_journal_"+c.Tool, c.With
		case c.Write != nil:
			name, args = "write_file", map[string]any{"file_path": c.Write[0], "content": c.Write[1]}
		}
		parts = append(parts, map[string]any{"functionCall": map[string]any{"name": name, "args": args}})
	}
	return map[string]any{
		"candidates":    []any{map[string]any{"content": map[string]any{"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}},
		"usageMetadata": map[string]any{"promptTokenCount": s.Tokens, "candidatesTokenCount": 10, "totalTokenCount": s.Tokens + 10},
		"modelVersion":  "gemini-2.5-flash",
	}
}
