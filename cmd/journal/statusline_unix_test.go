//go:build unix

package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"

	"journal/cmd/testkit/testutil"

	"golang.org/x/sys/unix"
)

// A call that is ended while it reads ends with 0 too.
func TestStatuslineEndsWhileItReads(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.command("statusline")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	testutil.Eventually(t, "it has taken the signals, and ignores the one of pipes since", func() bool {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.Process.Pid))
		if err != nil {
			t.Skip("no /proc here")
		}
		_, ignored, _ := strings.Cut(string(status), "SigIgn:\t")
		ignored, _, _ = strings.Cut(ignored, "\n")
		mask, err := strconv.ParseUint(ignored, 16, 64)
		return err == nil && mask&(1<<(unix.SIGPIPE-1)) != 0
	})
	if err := c.Process.Signal(unix.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err != nil {
		t.Errorf("statusline ends with %v", err)
	}
}

// ADR-0025 rule 4: the client ends an older call when a newer one starts; the
// person's own statusline ends with it.
func TestStatuslineEndsWithItsCommand(t *testing.T) {
	t.Parallel()
	for _, sig := range []os.Signal{unix.SIGTERM, os.Interrupt} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			c := w.command("statusline", "--", "sh", "-c", "echo running; sleep 600; echo still")
			c.Stdin = strings.NewReader("{}")
			out, err := c.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			r := bufio.NewReader(out)
			if line, err := r.ReadString('\n'); line != "running\n" {
				t.Fatalf("stdout begins %q, error %v", line, err)
			}
			if err := c.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			// It ends when the last process that has it is gone.
			if rest, err := io.ReadAll(r); len(rest) > 0 || err != nil {
				t.Errorf("stdout goes on with %q, error %v", rest, err)
			}
			if err := c.Wait(); err != nil {
				t.Errorf("statusline ends with %v", err)
			}
		})
	}
}
