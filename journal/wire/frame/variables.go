package frame

// The environment variables that agents set for their hooks and that dialects read.
const (
	ClaudeProject  = "CLAUDE_PROJECT_DIR"     // root of the project, whatever the working directory
	ClaudePID      = "CLAUDE_PID"             // process id of the client
	ClaudeEntry    = "CLAUDE_CODE_ENTRYPOINT" // "cli" for the interactive client
	ClaudeExports  = "CLAUDE_ENV_FILE"        // file whose exports the session's shell commands get
	CopilotProject = "COPILOT_PROJECT_DIR"
	CopilotHooks   = "COPILOT_HOOK_DIR" // directory of the file that configures the hook
	CursorProject  = "CURSOR_PROJECT_DIR"
	GeminiProject  = "GEMINI_PROJECT_DIR"
	QwenProject    = "QWEN_PROJECT_DIR"
)

// Variables holds the names of these variables. journal-hook sends them with a call, and those of the journal and the locale.
var Variables = [...]string{ClaudeProject, ClaudePID, ClaudeEntry, ClaudeExports, CopilotProject, CopilotHooks, CursorProject, GeminiProject, QwenProject}
