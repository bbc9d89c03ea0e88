package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// docs/examples/context-limit-recovery.mjs does what the module does whose place it takes, on top of
// these verbs and without them.
func TestS4_1JavaScript(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node")
	}
	w := newWorld(t)
	test, err := filepath.Abs(filepath.Join("..", "..", "docs", "examples", "context-limit-recovery.test.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	project := t.TempDir()
	if err := os.Mkdir(filepath.Join(project, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(node, "--test", test)
	c.Dir, c.Env = project, append(w.env, "JOURNAL_BIN="+w.bin)
	out, err := c.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "# skipped 0") {
		t.Errorf("%v\n%s", err, out)
	}
}

// runIn runs the program in a directory.
func (w *world) runIn(dir string, args ...string) (stdout, stderr string, code int) {
	c := w.command(args...)
	var out, errOut bytes.Buffer
	c.Dir, c.Stdout, c.Stderr = dir, &out, &errOut
	_ = c.Run() // the code says it
	return out.String(), errOut.String(), c.ProcessState.ExitCode()
}
