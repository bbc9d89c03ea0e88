package vars

// The variables of Claude Code.
const (
	ClaudeProject = "CLAUDE_PROJECT_DIR" // stays when a command changes the directory
	ClaudePID     = "CLAUDE_PID"
	ClaudeEntry   = "CLAUDE_CODE_ENTRYPOINT" // cli is the interactive client
	ClaudeExports = "CLAUDE_ENV_FILE"
)

var _ = declare(ClaudeProject, ClaudePID, ClaudeEntry, ClaudeExports)
