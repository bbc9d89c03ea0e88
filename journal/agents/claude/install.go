package claude

import (
	_ "embed"
	"path/filepath"
	"runtime"

	"journal/journal/agents/install"
)

// skill tells the client that the journal exists and what to use it for: without it
// nobody records decisions.
//
//go:embed skill.md
var skill string

var _ = install.Declare(install.Agent{
	Name:          Name,
	Dir:           dir,
	DetectVersion: install.AskVersion("claude"),
	Settings: &install.Settings{
		File: "settings.json",
		// Seconds. It also lengthens the 1.5 s that all hooks of SessionEnd
		// otherwise get together.
		Timeout:    10,
		StatusLine: true,
		Events:     eventsFor,
		Warning:    warning,
		Allow:      []string{"permissions", "allow"},
		Rules:      rules,
		IsRule:     isRule,
		SameRule:   sameRule,
		Plugins:    "enabledPlugins",
		Off:        []string{"disableAllHooks"},
		Policy:     policy(),
		PolicyOff:  []string{"disableAllHooks", "allowManagedHooksOnly"},
	},
	Files: []install.File{{
		Path: "skills/journal/SKILL.md", Text: skill, Granted: granted, Comment: [2]string{"<!-- ", " -->"}, Skill: true,
	}},
})

// dir is the directory of the person or of the project. CLAUDE_CONFIG_DIR moves the
// person's.
func dir(at install.Location) string {
	if at.Scope == install.Project {
		return filepath.Join(at.Project, ".claude")
	}
	if dir := at.Getenv("CLAUDE_CONFIG_DIR"); dir != "" {
		return dir
	}
	return filepath.Join(at.Home, ".claude")
}

func policy() string {
	switch runtime.GOOS {
	case "darwin":
		return "/Library/Application Support/ClaudeCode/managed-settings.json"
	case "windows":
		return `C:\Program Files\ClaudeCode\managed-settings.json`
	default:
		return "/etc/claude-code/managed-settings.json"
	}
}
