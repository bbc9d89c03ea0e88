package vars

// CursorProject names the project's directory for Cursor's hooks.
const CursorProject = "CURSOR_PROJECT_DIR"

var _ = declare(CursorProject)
