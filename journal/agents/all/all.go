// Package all links every agent: programs import it to find agents by name.
package all

import (
	_ "journal/journal/agents/claude"
	_ "journal/journal/agents/codex"
	_ "journal/journal/agents/copilot"
	_ "journal/journal/agents/cursor"
	_ "journal/journal/agents/gemini"
	_ "journal/journal/agents/opencode"
	_ "journal/journal/agents/pi"
	_ "journal/journal/agents/qwen"
)
