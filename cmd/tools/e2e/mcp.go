package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
)

// dredged is the decision in the sessions with only the MCP server.
const dredged = "the harbour is dredged in spring, since the ice is gone then"

// alone plays an agent with only the MCP server, in another project: the next session must get the decision of the first.
func (w *world) alone(ctx context.Context) []outcome {
	decided, recovered := outcome{Name: "mcp decision"}, outcome{Name: "mcp recovered"}
	if err := w.connected(ctx); err != nil {
		decided.Figure = err.Error()
		return []outcome{decided, recovered}
	}
	_, err := w.asked(ctx, "dredge the harbour", false, call{Tool: "decide", With: map[string]any{"text": dredged}})
	all, failed := w.recorded(ctx)
	for _, e := range all {
		decided.OK = decided.OK || e.Type == "decision.recorded" && strings.Contains(string(e.Data), dredged)
	}
	decided.Figure, decided.OK = yesNo(decided.OK && err == nil && failed == nil)
	got, err := w.asked(ctx, "where were we", false, call{Tool: "recover", With: map[string]any{}})
	// The first request of the session knows nothing of the one before.
	remembers := len(got) > 1 && !strings.Contains(got[0], dredged) && strings.Contains(got[len(got)-1], dredged)
	recovered.Figure, recovered.OK = yesNo(err == nil && remembers)
	return []outcome{decided, recovered}
}

// connected makes another project for the world, and configures the MCP server for it.
func (w *world) connected(ctx context.Context) error {
	w.project = filepath.Join(w.home, "harbour")
	if err := os.MkdirAll(filepath.Join(w.project, ".git"), 0o700); err != nil {
		return err
	}
	return w.Connect(ctx, w, []string{w.command(), "mcp"})
}

// asked plays a prompt at which the agent makes one call, and returns the agent's requests to the model.
func (w *world) asked(ctx context.Context, prompt string, resumed bool, c call) ([]string, error) {
	before := len(w.model.requests("agent"))
	w.model.play(step{Calls: []call{c}, Tokens: 2000}, step{Text: "That is done.", Tokens: 3000})
	_, err := w.run(ctx, w.Line(w, prompt, resumed)...)
	return w.model.requests("agent")[before:], err
}
