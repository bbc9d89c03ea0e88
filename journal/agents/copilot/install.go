package copilot

import "journal/journal/agents/install"

var _ = install.Declare(install.Agent{
	Name: Name,
	Dir:  install.Folder(".copilot", "COPILOT_HOME"),
	Settings: &install.Settings{
		File:    "hooks/journal.json", // the client reads every file there
		Timeout: 10,                   // seconds
		// PreToolUse is never installed, because an error of its hook denies the call. SubagentStart is not installed, because its
		// payload does not name the hook.
		Events: install.Events([]string{
			"SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "PreCompact", "SubagentStop", "Stop", "SessionEnd",
		}),
		Off: []string{"disableAllHooks"},
	},
})
