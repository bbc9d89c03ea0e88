package vars

// GeminiProject names the project's directory for Gemini CLI's hooks.
const GeminiProject = "GEMINI_PROJECT_DIR"

var _ = declare(GeminiProject)
