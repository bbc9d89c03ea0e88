// Package dialects links the dialect of every agent. A program imports it for that;
// journal/agents/all links the rest of what is known of them besides.
package dialects

import (
	_ "journal/journal/agents/claude"
	_ "journal/journal/agents/codex"
	_ "journal/journal/agents/cursor"
	_ "journal/journal/agents/gemini"
	_ "journal/journal/agents/opencode"
)
