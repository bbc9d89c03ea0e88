package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"journal/events/text"
)

// terminal opens a terminal of so many columns: what a program writes to the one file is
// read from the other.
func terminal(t *testing.T, columns uint16) (program, person *os.File) {
	t.Helper()
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	person = os.NewFile(uintptr(fd), "person")
	t.Cleanup(func() { person.Close() })
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns}); err != nil {
		t.Fatal(err)
	}
	if program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	return program, person
}

// On a terminal lines have colours and end at its edge; NO_COLOR and a dumb terminal keep colours away.
func TestTerminal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.play(recorded, 1, false)
	on := func(line string, env ...string) string {
		t.Helper()
		out, person := terminal(t, 80)
		c := w.command(strings.Fields(line)...)
		c.Env = append(slices.Clone(c.Env), env...)
		c.Stdin, c.Stdout = out, out
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		read := make(chan string)
		go func() {
			b, _ := io.ReadAll(person) // it ends with an error when nobody has the other end open
			read <- string(b)
		}()
		err := c.Wait()
		out.Close()
		if err != nil {
			t.Fatal(err)
		}
		return <-read
	}
	if shown := on("log", "PAGER=cat"); !strings.Contains(shown, "\x1b[36m") || !strings.Contains(shown, "\x1b[0m") {
		t.Errorf("no colours:\n%q", shown)
	}
	shown := ""
	for _, plain := range []string{"NO_COLOR=1", "TERM=dumb"} {
		if shown = on("log", plain, "PAGER=cat"); strings.Contains(shown, "\x1b") || !strings.Contains(shown, "#39") {
			t.Errorf("colours in spite of %s, or nothing:\n%q", plain, shown)
		}
	}
	// What is longer than the terminal goes through the pager, colours and all, but for an agent.
	pager := "PAGER=sed s/^/paged:/"
	if shown := on("log", pager); strings.Count(shown, "paged:") < 24 || !strings.Contains(shown, "\x1b[36m") {
		t.Errorf("it is not in the pager:\n%q", shown)
	}
	for line, env := range map[string]string{"log -n 3": pager, "log": "PAGER=/no/such/pager", "status": pager} {
		if shown := on(line, env); strings.Contains(shown, "paged:") || len(shown) < 80 {
			t.Errorf("%s with %s says\n%q", line, env, shown)
		}
	}
	if shown := on("log", pager, "CLAUDE_CODE_SESSION_ID=10cf952f-5ea0-426b-8bba-de006d0da81e"); strings.Contains(shown, "paged:") {
		t.Error("an agent gets a pager")
	}
	if shown := on("search --all LIMITER", "PAGER=cat"); !strings.Contains(shown, "\x1b[1;33mlimiter\x1b[0m") {
		t.Errorf("no hit is marked:\n%q", shown)
	}
	for line := range strings.Lines(shown) {
		if n := text.Columns(strings.TrimRight(line, "\r\n")); n > 80 {
			t.Errorf("%d columns: %q", n, line)
		}
	}
}
