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
		Events: install.Events([]string{
			"SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "PreCompact", "PostCompact",
			"SubagentStart", "SubagentStop", "Stop", "StopFailure", "SessionEnd",
		}, "PreToolUse", "PermissionRequest", "Notification"),
		Off: []string{"disableAllHooks"},
	},
})
