//go:build unix

package claude_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestClaudeParentBesidePipes: anything but a file is skipped: nothing may wait for a writer that never comes.
func TestClaudeParentBesidePipes(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string][]any{
		"fork": {at(1, "u1", nil), at(11, "own", nil)}, "parent": {at(1, "u1", nil)},
	})
	for _, name := range []string{"pipe.jsonl", "alone.jsonl"} {
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
			t.Skip(err)
		}
	}
	if err := os.Symlink("pipe.jsonl", filepath.Join(dir, "link.jsonl")); err != nil {
		t.Fatal(err)
	}
	if session, _, err := parentOf(t, filepath.Join(dir, "fork.jsonl"), moment(10)); session != "parent" || err != nil {
		t.Errorf("parent %q, error %v", session, err)
	}
	if _, _, err := parentOf(t, filepath.Join(dir, "alone.jsonl"), moment(10)); err == nil {
		t.Error("a pipe is a transcript")
	}
}
