package install

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

var claude = register(Agent{
	Name:  "claude",
	Title: "Claude Code",
	// Seconds. DECISIONS 2.12; it also lengthens the 1.5 s that all hooks of
	// SessionEnd otherwise get together (PROTOCOLS 1.6).
	Timeout:       10,
	StatusLine:    true,
	Skills:        true,
	SettingsPath:  claudeSettingsPath,
	PolicyPath:    claudePolicyPath,
	DetectVersion: detectClaudeVersion,
	Events:        claudeEventsFor,
})

// claudeSettingsPath returns settings.json of the person or of the project
// (PROTOCOLS 1.9). CLAUDE_CONFIG_DIR moves the person's.
func claudeSettingsPath(scope Scope, project, home string, getenv func(string) string) string {
	if scope == Project {
		return filepath.Join(project, ".claude", "settings.json")
	}
	if dir := getenv("CLAUDE_CONFIG_DIR"); dir != "" {
		return filepath.Join(dir, "settings.json")
	}
	return filepath.Join(home, ".claude", "settings.json")
}

func claudePolicyPath() string {
	switch runtime.GOOS {
	case "darwin":
		return "/Library/Application Support/ClaudeCode/managed-settings.json"
	case "windows":
		return `C:\Program Files\ClaudeCode\managed-settings.json`
	default:
		return "/etc/claude-code/managed-settings.json"
	}
}

// detectClaudeVersion runs `claude --version`.
func detectClaudeVersion(ctx context.Context) (string, error) {
	// A person waits for it; a client that takes longer is treated as unknown.
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "claude", "--version")
	// A wrapper script may leave a child that keeps stdout open.
	cmd.WaitDelay = 500 * time.Millisecond
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("run claude --version: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}
