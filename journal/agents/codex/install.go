package codex

import "journal/journal/agents/install"

var _ = install.Declare(install.Agent{
	Name: Name,
	Dir:  install.Folder(".codex", "CODEX_HOME"),
	Settings: &install.Settings{
		File:     "hooks.json",
		Timeout:  10,                                              // seconds
		Timeouts: map[string]int{"SessionEnd": 3, "Interrupt": 3}, // the client cuts more, and warns about it
		Events:   eventsFor,
	},
})

// byDefault lists the events with a meaning; onRequest those that are only kept.
var (
	byDefault = []string{
		"SessionStart", "UserPromptSubmit", "PostToolUse", "PreCompact", "PostCompact", "SubagentStart", "SubagentStop", "Stop", "Interrupt", "SessionEnd",
	}
	onRequest = []string{"PreToolUse", "PermissionRequest"}
)

// eventsFor implements install.Settings. The client checks the file against its version's schema; versions before 0.169
// are unknown.
func eventsFor(_ string, all bool) (events, notes []string) {
	events = byDefault
	if all {
		events = append(events[:len(events):len(events)], onRequest...)
	}
	return events, []string{
		"Codex skips hooks that nobody has confirmed, without a word: start codex once, and confirm them (or run /hooks there). " +
			"Whenever the entries change it asks again.",
	}
}
