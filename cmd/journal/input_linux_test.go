package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"journal/cmd/journal/cli"
	"journal/cmd/testkit/testutil"
)

const (
	neverEnds = `{"a":"`
	begun     = `{"type":"user","uuid":"u","sessionId":"s","cwd":"/p","timestamp":"2026-03-01T10:00:00Z","message":{"content":"x"}}` + "\n" + neverEnds
)

// sparse makes a file that begins with a text and goes on with zeros.
func sparse(t *testing.T, path, begins string, size int64) {
	t.Helper()
	if err := os.WriteFile(path, []byte(begins), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, size); err != nil {
		t.Skip("no sparse files here: ", err)
	}
}

// Transcripts of which each has a row that takes long are left in the middle.
func TestImportIsInterrupted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, begins := range map[string]string{"the first rows": neverEnds, "the second rows": begun} {
		dir := t.TempDir()
		path := filepath.Join(dir, "long.jsonl")
		sparse(t, path, begins, 1<<40)
		for i := range 2000 {
			if err := os.Link(path, filepath.Join(dir, fmt.Sprintf("z%d.jsonl", i))); err != nil {
				t.Skip("no links here: ", err)
			}
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := w.command("import", dir)
			wantInterrupted(t, c, func() error {
				if !testutil.Within(testutil.Patience, func() bool { return hasOpen(c.Process.Pid, path) }) {
					t.Errorf("it does not read %s", path)
				}
				return c.Process.Signal(os.Interrupt)
			})
		})
	}
}

// Zeros without an end, packed or not, and a link to itself are refused, in memory that does not depend on their size.
func TestEndlessFileIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.play(recorded, 1, false)
	w.env = append(w.env, "JOURNAL_SESSION=10cf952f-5ea0-426b-8bba-de006d0da81e")
	dir := t.TempDir()
	zeros, rows, packed, self := filepath.Join(dir, "zeros"), filepath.Join(dir, "rows"), filepath.Join(dir, "packed"), filepath.Join(dir, "self")
	sparse(t, zeros, "", 1<<40)
	sparse(t, rows, begun, 1<<40)
	if err := os.Symlink(self, self); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(packed, packedZeros(8<<30), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{zeros, rows, packed, self} {
		for line := range readers {
			if path == packed && strings.HasPrefix(line, "redact") {
				continue // to which it is a text
			}
			t.Run(strings.Join(lineOf(line, filepath.Base(path)), " "), func(t *testing.T) {
				t.Parallel()
				c := w.command(lineOf(line, path)...)
				c.Dir = t.TempDir() // what a verb writes beside it is not written here
				if strings.HasPrefix(line, "restore-backup") {
					c.Env = append(c.Env, "JOURNAL_DIR="+filepath.Join(t.TempDir(), "empty"))
				}
				_, stderr, code := w.exec(c, "")
				if code != cli.ExitError && code != cli.ExitUsage || !strings.HasPrefix(stderr, "error: ") || !strings.Contains(stderr, "\ntry: ") {
					t.Errorf("ends with %d, says %q", code, stderr)
				}
				used := c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss >> 10
				if used > max(160, ownPeak(t)) {
					t.Errorf("takes %d MiB", used)
				}
			})
		}
	}
}

// ownPeak is the most memory that this process held, in MiB. What it held when it started a process counts as that one's.
func ownPeak(t *testing.T) int64 {
	t.Helper()
	var own syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err != nil {
		t.Fatal(err)
	}
	return own.Maxrss >> 10
}

// packedZeros is a frame of zstd that holds so many zeros: each of its blocks is one byte, repeated.
func packedZeros(size int) []byte {
	const block = 128 << 10
	b := []byte{0x28, 0xb5, 0x2f, 0xfd, 0, 0x38} // a window of 128 KiB, no size, no checksum
	for left := size / block; left > 0; left-- {
		head := block<<3 | 1<<1
		if left == 1 {
			head |= 1 // the last one
		}
		b = append(b, byte(head), byte(head>>8), byte(head>>16), 0)
	}
	return b
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
