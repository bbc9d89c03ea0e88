package codex

import (
	"path/filepath"
	"strings"

	"journal/journal/agents/install"
	"journal/journal/disk"
)

var _ = install.Declare(install.Agent{
	Name: Name,
	Dir:  install.Folder(".codex", "CODEX_HOME"),
	Settings: &install.Settings{
		File:     "hooks.json",
		Timeout:  10,                                              // seconds
		Timeouts: map[string]int{"SessionEnd": 3, "Interrupt": 3}, // the client lowers greater values, and warns about them
		Events:   eventsFor,
		Disabled: disabled,
	},
})

// disabled implements install.Settings.Disabled.
func disabled(dir string, _ func(path ...string) string) string {
	config, _ := disk.ReadFile(filepath.Join(dir, "config.toml"), 1<<20) // without it, hooks run
	table := ""
	for line := range strings.Lines(string(config)) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), "#")
		if strings.HasPrefix(line, "[") {
			table = strings.Trim(line, "[] ") + "."
		}
		name, value, _ := strings.Cut(line, "=")
		name = table + strings.TrimSpace(name)
		if strings.TrimSpace(value) == "false" && (name == "features.hooks" || name == "features.codex_hooks") {
			return `"` + name + `" is false in ` + filepath.Join(dir, "config.toml")
		}
	}
	return ""
}

// byDefault lists the events that are always installed, onRequest those that Options.All adds.
var (
	byDefault = []string{
		"SessionStart", "UserPromptSubmit", "PostToolUse", "PreCompact", "PostCompact", "SubagentStart", "SubagentStop", "Stop", "Interrupt", "SessionEnd",
	}
	onRequest = []string{"PreToolUse", "PermissionRequest"}
)

// eventsFor implements install.Settings.Events. Clients since 0.169 know all of the events.
func eventsFor(version string, all bool) (events, notes []string) {
	events, _ = install.Events(byDefault, onRequest...)(version, all)
	return events, []string{
		"Codex skips hooks that nobody has confirmed, without a word: start codex once, and confirm them (or run /hooks there). " +
			"Whenever the entries change it asks again.",
	}
}
