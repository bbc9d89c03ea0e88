package writer

import (
	"os"
	"path/filepath"
	"testing"
)

// A worktree within its repository can name it by a relative path that ends with "..": git worktree add --relative-paths.
func TestRepositoryOfAWorktreeWithinIt(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "shop", ".claude", "worktrees", "idea")
	if err := os.MkdirAll(root, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, ".git"), []byte("gitdir: ../../../.git/worktrees/idea\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := repositoryOf(root); got != "shop" {
		t.Errorf("repository %q", got)
	}
}
