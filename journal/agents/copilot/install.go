package copilot

import "journal/journal/agents/install"

var _ = install.Declare(install.Agent{
	Name: Name,
	Dir:  install.Folder(".copilot", "COPILOT_HOME"),
	Settings: &install.Settings{
		File:    "hooks/journal.json", // the client reads every file there
		Timeout: 10,                   // seconds
		Events:  eventsFor,
		Off:     []string{"disableAllHooks"},
	},
})

// eventsFor implements install.Settings. PreToolUse is never installed: an error of such a hook denies the call. The payload of
// SubagentStart does not say what it is.
func eventsFor(_ string, _ bool) (events, notes []string) {
	return []string{
		"SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "PreCompact", "SubagentStop", "Stop", "SessionEnd",
	}, nil
}
