package cursor

import "journal/journal/agents/install"

var _ = install.Declare(install.Agent{
	Name: Name,
	Dir:  install.Folder(".cursor", ""),
	Settings: &install.Settings{
		File:    "hooks.json",
		Flat:    true,
		Version: 1,
		Timeout: 10, // seconds
		Events:  eventsFor,
	},
})

// eventsFor implements install.Settings. A hook of preToolUse can deny the call.
func eventsFor(_ string, all bool) (events, notes []string) {
	events = []string{
		"sessionStart", "beforeSubmitPrompt", "postToolUse", "postToolUseFailure", "preCompact", "subagentStart", "subagentStop", "afterAgentResponse", "sessionEnd",
	}
	if all {
		events = append(events, "preToolUse")
	}
	return events, nil
}
