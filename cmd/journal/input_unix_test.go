//go:build unix

package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"journal/cmd/journal/cli"

	"golang.org/x/sys/unix"
)

// readers are the command lines that read a file which a person names, FILE in them, with their exit code when it is none.
var readers = map[string]int{
	"restore-backup FILE": cli.ExitError, "redact FILE": cli.ExitError, "redact --check FILE": cli.ExitError, "import FILE": cli.ExitError,
	"work run FILE --command cat": cli.ExitUsage, "team join FILE": cli.ExitError, "team restore FILE": cli.ExitError,
	"team init hub --name a --node b --cert c --key k --ca FILE":              cli.ExitError,
	"team init hub --name a --node b --plain --context c --operator-key FILE": cli.ExitError,
	"compile result src --from FILE":                                          cli.ExitError, "compile validated src --from FILE": cli.ExitError, "compile diff src --from FILE": cli.ExitError,
}

// lineOf gives the words of a command line with a path in the place of FILE.
func lineOf(line, path string) []string {
	words := strings.Fields(line)
	for i := range words {
		if words[i] == "FILE" {
			words[i] = path
		}
	}
	return words
}

// Nobody may ever write into a pipe that has a name, and a device need not end: what is no regular file is refused.
func TestWhatIsNoFileIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.play(recorded, 1, false)
	w.env = append(w.env, "JOURNAL_SESSION=10cf952f-5ea0-426b-8bba-de006d0da81e")
	dir := t.TempDir()
	pipe, socket, link := filepath.Join(dir, "pipe"), filepath.Join(dir, "s"), filepath.Join(dir, "link")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(pipe, link); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Skipf("no sockets here: %v", err)
	}
	t.Cleanup(func() { l.Close() })
	refused := func(path, what string, line []string, code int) {
		t.Run(strings.Join(line, " "), func(t *testing.T) {
			t.Parallel()
			c := w.command(line...)
			if line[0] == "restore-backup" {
				c.Env = append(c.Env, "JOURNAL_DIR="+filepath.Join(t.TempDir(), "empty"))
			}
			out, stderr, got := w.exec(c, "")
			if want := fmt.Sprintf("error: %s is not a %s\ntry: ", path, what); got != code || out != "" || !strings.HasPrefix(stderr, want) {
				t.Errorf("ends with %d, want %d, says %q, %q", got, code, out, stderr)
			}
		})
	}
	for _, path := range []string{pipe, link, socket, dir, "/dev/zero"} {
		for line, code := range readers {
			if path != dir || !strings.HasPrefix(line, "import") {
				refused(path, "regular file", lineOf(line, path), code)
			}
		}
		if path != dir {
			refused(path, "directory", []string{"markers", "import", path}, cli.ExitError)
		}
	}
}

// What the shell hands over open is a pipe, and read.
func TestPipeOfTheShellIsRead(t *testing.T) {
	t.Parallel()
	w := newHome(t)
	for _, path := range []string{"/dev/stdin", "/dev/fd/0", "/dev/fd/3", "-"} {
		r, p, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		c := w.command("redact", path)
		var out, stderr bytes.Buffer
		c.Stdin, c.ExtraFiles, c.Stdout, c.Stderr = r, []*os.File{r}, &out, &stderr
		err = c.Start()
		r.Close()
		if err == nil {
			_, err = p.WriteString("plain\n")
		}
		p.Close()
		if end := c.Wait(); err != nil || end != nil || out.String() != "plain\n" {
			t.Errorf("%s: %v, %v, %q, %q", path, err, end, &out, &stderr)
		}
	}
}

// A person who is waited for, and a pipe that never ends, are waited for until a signal comes.
func TestReadingIsInterrupted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.play(recorded, 1, false)
	begun := "{" + strings.Repeat(" ", 300<<10) // more than a pipe holds: when it is written the program reads
	for _, line := range []string{
		"restore-backup -", "restore-backup /dev/fd/0", "redact -", "redact /dev/stdin", "work run - --command cat", "work detect",
		"work reduce --phase 1", "work record start", "append decision.recorded --data -", "compile result src --from -",
	} {
		for _, sig := range []os.Signal{os.Interrupt, unix.SIGTERM} {
			t.Run(line+" "+sig.String(), func(t *testing.T) {
				t.Parallel()
				c := w.command(strings.Fields(line)...)
				if strings.HasPrefix(line, "restore") {
					c.Env = append(c.Env, "JOURNAL_DIR="+filepath.Join(t.TempDir(), "empty"))
				}
				in, err := c.StdinPipe()
				if err != nil {
					t.Fatal(err)
				}
				wantInterrupted(t, c, func() error {
					if _, err := in.Write([]byte(begun)); err != nil {
						return err
					}
					return c.Process.Signal(sig)
				})
			})
		}
	}
}

// wantInterrupted starts a command, interrupts it, and looks at how it ends.
func wantInterrupted(t *testing.T, c *exec.Cmd, interrupt func() error) {
	t.Helper()
	var out, stderr bytes.Buffer
	c.Stdout, c.Stderr = &out, &stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if err := interrupt(); err != nil {
		t.Error(err)
	}
	_ = c.Wait() // its code says how it ended
	if code := c.ProcessState.ExitCode(); code != cli.ExitError || out.Len() > 0 || stderr.String() != "error: interrupted\ntry: the same command again\n" {
		t.Errorf("ends with %d, says %q, %q", code, &out, &stderr)
	}
}
