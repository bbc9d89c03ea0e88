//go:build unix

package compile

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// git waits for whoever writes into a pipe that stands in the place of a .gitignore. A plan does not.
func TestGitThatWaits(t *testing.T) {
	before := patience
	t.Cleanup(func() { patience = before })
	patience = time.Second
	dir := t.TempDir()
	if _, err := ask(t.Context(), dir, "init", "-q", "."); err != nil {
		t.Skip("no git: ", err)
	}
	if err := unix.Mkfifo(filepath.Join(dir, ".gitignore"), 0o600); err != nil {
		t.Skip("no pipes here: ", err)
	}
	_, err := Make(t.Context(), dir, Options{})
	if err == nil || !strings.Contains(err.Error(), "git status took more than 1s") {
		t.Errorf("the plan ends with %v", err)
	}
}
