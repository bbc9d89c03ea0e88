package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"journal/cmd/journal/cli"
	"journal/journal/testutil"
)

// A transcript of which one row has a terabyte is left in the middle.
func TestImportIsInterrupted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, begins := range map[string]string{
		"its first row":  `{"a":"`,
		"its second row": `{"type":"user","uuid":"u","sessionId":"s","cwd":"/p","timestamp":"2026-03-01T10:00:00Z","message":{"content":"x"}}` + "\n" + `{"a":"`,
	} {
		path := filepath.Join(t.TempDir(), "long.jsonl")
		if err := os.WriteFile(path, []byte(begins), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, 1<<40); err != nil {
			t.Skip("no sparse files here: ", err)
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := w.command("import", path)
			wantInterrupted(t, c, func() error {
				if !testutil.Within(testutil.Patience, func() bool { return hasOpen(c.Process.Pid, path) }) {
					t.Errorf("it does not read %s", path)
				}
				return c.Process.Signal(os.Interrupt)
			})
		})
	}
}

// hasOpen says whether a process has a file open.
func hasOpen(pid int, path string) bool {
	open, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	for _, fd := range open {
		if to, err := os.Readlink(fd); err == nil && to == path {
			return true
		}
	}
	return false
}

// Who is asked may leave without an answer: nothing is done then.
func TestQuestionIsInterrupted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.play(recorded, 1, false)
	before := len(w.events())
	in, _ := terminal(t, 80)
	defer in.Close()
	c := w.command("forget", "--match", "limiter")
	c.Stdin = in
	stderr, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	said := bufio.NewReader(stderr)
	if question, err := said.ReadString(']'); err != nil || !strings.HasSuffix(question, "[y/N]") {
		t.Errorf("it asks %q, %v", question, err)
	}
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Error(err)
	}
	rest, _ := said.ReadString(0) // up to its end
	_ = c.Wait()                  // its code says how it ended
	if code := c.ProcessState.ExitCode(); code != cli.ExitError || !strings.Contains(rest, "error: interrupted\n") {
		t.Errorf("ends with %d, says %q", code, rest)
	}
	if after := len(w.events()); after != before {
		t.Errorf("%d events, %d before", after, before)
	}
}
