// Package all links everything that is known of every agent: its dialect, its
// transcripts and its installation.
package all

import (
	_ "journal/journal/agents/claude/setup"
	_ "journal/journal/agents/claude/transcript"
	_ "journal/journal/agents/codex/setup"
	_ "journal/journal/agents/codex/transcript"
	_ "journal/journal/agents/dialects"
	_ "journal/journal/agents/gemini/setup"
	_ "journal/journal/agents/gemini/transcript"
	_ "journal/journal/agents/opencode/setup"
)
