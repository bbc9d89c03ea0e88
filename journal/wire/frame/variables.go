package frame

// The environment variables that agents set for their hooks and that dialects read.
const (
	ClaudeProject  = "CLAUDE_PROJECT_DIR" // stays when a command changes the directory
	ClaudePID      = "CLAUDE_PID"
	ClaudeEntry    = "CLAUDE_CODE_ENTRYPOINT" // cli is the interactive client
	ClaudeExports  = "CLAUDE_ENV_FILE"
	CopilotProject = "COPILOT_PROJECT_DIR"
	CopilotHooks   = "COPILOT_HOOK_DIR" // the folder of the file that has the hook
	CursorProject  = "CURSOR_PROJECT_DIR"
	GeminiProject  = "GEMINI_PROJECT_DIR"
	QwenProject    = "QWEN_PROJECT_DIR"
)

// Variables holds the names of the variables that a hook's program sends with a call. It sends no others.
var Variables = [...]string{ClaudeProject, ClaudePID, ClaudeEntry, ClaudeExports, CopilotProject, CopilotHooks, CursorProject, GeminiProject, QwenProject}
