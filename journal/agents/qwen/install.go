package qwen

import "journal/journal/agents/install"

var _ = install.Declare(install.Agent{
	Name: Name,
	Dir:  install.Folder(".qwen", "QWEN_HOME"),
	Settings: &install.Settings{
		File:     "settings.json",
		Comments: true,
		Timeout:  10, // seconds
		Name:     "journal",
		Events:   eventsFor,
		Off:      []string{"disableAllHooks"},
	},
})

// eventsFor implements install.Settings.
func eventsFor(_ string, all bool) (events, notes []string) {
	events = []string{
		"SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "PreCompact", "PostCompact",
		"SubagentStart", "SubagentStop", "Stop", "StopFailure", "SessionEnd",
	}
	if all {
		events = append(events, "PreToolUse", "PermissionRequest", "Notification")
	}
	return events, nil
}
