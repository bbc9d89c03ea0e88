package codex

import (
	"slices"

	"journal/events"
	"journal/journal/agents"
	"journal/journal/wire"
)

// takesText are the events whose additionalContext the model reads. The client checks
// what a hook prints against a schema of each event: on the others the member is an
// error, and on SessionEnd there is no output at all.
var takesText = []string{"SessionStart", "SubagentStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"}

func answer(h events.Hook, to, text string) []byte {
	switch {
	case text == "" || h.Kind == events.SessionEnd:
		return nil
	case to == wire.ToPerson && h.Kind != events.Other:
		return agents.Answer(h.Native, "", text)
	case to == wire.ToModel && slices.Contains(takesText, h.Native):
		return agents.Answer(h.Native, text, "")
	}
	return nil
}
