//go:build unix

package compile

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// git waits for the writer of a pipe in place of a .gitignore. A plan does not.
func TestGitThatWaits(t *testing.T) {
	before := patience
	t.Cleanup(func() { patience = before })
	dir := t.TempDir()
	if _, err := ask(t.Context(), dir, "init", "-q", "."); err != nil {
		t.Skip("no git: ", err)
	}
	if err := unix.Mkfifo(filepath.Join(dir, ".gitignore"), 0o600); err != nil {
		t.Skip("no pipes here: ", err)
	}
	for patience = time.Second; ; patience *= 2 { // until the rest of git's work is done in time, however busy the machine is
		_, err := Make(t.Context(), dir, Options{})
		if err == nil || !strings.HasSuffix(err.Error(), "took more than "+patience.String()+": a .gitignore or a file in .git may not be a regular file") || patience > time.Minute {
			t.Fatalf("the plan ends with %v", err)
		}
		if strings.Contains(err.Error(), "git status ") {
			return
		}
	}
}
