package cursor

import "journal/journal/agents/install"

var _ = install.Declare(install.Agent{
	Name: Name,
	Dir:  install.Folder(".cursor", ""), // no variable names another folder
	Settings: &install.Settings{
		File:    "hooks.json",
		Flat:    true,
		Version: 1,
		Timeout: 10, // seconds
		// preToolUse is not installed by default, because its hook can deny the call.
		Events: install.Events([]string{
			"sessionStart", "beforeSubmitPrompt", "postToolUse", "postToolUseFailure", "preCompact", "subagentStart", "subagentStop", "afterAgentResponse", "sessionEnd",
		}, "preToolUse"),
	},
})
