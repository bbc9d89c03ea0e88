package writer

import (
	"path/filepath"
	"strings"

	"journal/journal/disk"
)

// repositoryOf returns the name of the repository that a git worktree belongs to, empty for a directory that is none. A worktree
// has a file .git that names REPOSITORY/.git/worktrees/NAME.
func repositoryOf(root string) string {
	const fileBytes = 4 << 10
	b, err := disk.ReadFile(filepath.Join(root, ".git"), fileBytes)
	if err != nil {
		return ""
	}
	dir, ok := strings.CutPrefix(strings.TrimSpace(string(b)), "gitdir:")
	dir = filepath.ToSlash(strings.TrimSpace(dir))
	at := strings.LastIndex(dir, "/.git/worktrees/")
	if !ok || at < 0 {
		return ""
	}
	if name := filepath.Base(dir[:at]); name != "." && name != "/" {
		return name
	}
	return ""
}
