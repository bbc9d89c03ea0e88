package agents_test

import (
	"os"
	"path/filepath"
	"testing"

	"journal/journal/agents"
)

func TestRoot(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	below := func(parts ...string) string { return filepath.Join(append([]string{top}, parts...)...) }
	for _, dir := range []string{below("repo", ".git"), below("repo", "a", "b"), below("tree", "sub"), below("plain", "sub")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	// A worktree has a file that names its repository's directory.
	if err := os.WriteFile(below("tree", ".git"), []byte("gitdir: elsewhere\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, dir, cwd, want string }{
		{"told", below("plain"), below("repo", "a"), below("plain")},
		{"told, not clean", below("plain") + string(filepath.Separator), "", below("plain")},
		{"told, and gone", below("gone"), below("repo"), below("gone")},
		{"repository", "", below("repo"), below("repo")},
		{"inside a repository", "", below("repo", "a", "b"), below("repo")},
		{"directory that is gone, in a repository", "", below("repo", "a", "gone"), below("repo")},
		{"worktree", "", below("tree", "sub"), below("tree")},
		{"no repository", "", below("plain", "sub"), below("plain", "sub")},
		{"nothing known", "", "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := agents.Root(test.dir, test.cwd); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
