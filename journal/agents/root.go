package agents

import (
	"os"
	"path/filepath"
)

// Root gives the project's directory: dir when the agent told it, else the
// nearest directory above cwd that holds a .git, else cwd.
func Root(dir, cwd string) string {
	if dir != "" {
		return filepath.Clean(dir)
	}
	if cwd == "" {
		return ""
	}
	for at := filepath.Clean(cwd); ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			return filepath.Clean(cwd)
		}
	}
}
