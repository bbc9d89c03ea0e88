package claude

import (
	"journal/events"
	"journal/journal/agents"
	"journal/journal/wire"
)

// takesText are the events whose additionalContext the model reads (docs/CLIENTS.md §3).
// On Stop it starts another turn, which a person has to want (S1.2), and on
// SubagentStop too, where nothing is ever owed; on the others that are not here it is
// an error.
var takesText = []string{
	"SessionStart", "Setup", "UserPromptSubmit", "UserPromptExpansion", "PreToolUse",
	"PostToolUse", "PostToolUseFailure", "PostToolBatch", "PostModelSwitch", "SubagentStart", "Stop",
}

// answer speaks to the model by additionalContext, to the person by
// systemMessage, and to the summariser in plain text: whatever a PreCompact hook
// prints is added to the summariser's prompt as it is (docs/CLIENTS.md §5).
func answer(h events.Hook, to, text string) []byte {
	switch {
	case to == wire.ToSummariser && h.Kind == events.CompactIntent:
		return []byte(text)
	case h.Kind == events.CompactIntent || h.Kind == events.CompactEnd || h.Kind == events.SessionEnd:
		return nil // anything here would be an error, or reach the summariser
	}
	return agents.Speak(h, to, text, takesText)
}
