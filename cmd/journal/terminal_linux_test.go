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
	if shown := on("log"); !strings.Contains(shown, "\x1b[36m") || !strings.Contains(shown, "\x1b[0m") {
		t.Errorf("no colours:\n%q", shown)
	}
	shown := ""
	for _, plain := range []string{"NO_COLOR=1", "TERM=dumb"} {
		if shown = on("log", plain); strings.Contains(shown, "\x1b") || !strings.Contains(shown, "#39") {
			t.Errorf("colours in spite of %s, or nothing:\n%q", plain, shown)
		}
	}
	if shown := on("search --all LIMITER"); !strings.Contains(shown, "\x1b[1;33mlimiter\x1b[0m") {
		t.Errorf("no hit is marked:\n%q", shown)
	}
	for line := range strings.Lines(shown) {
		if n := text.Columns(strings.TrimRight(line, "\r\n")); n > 80 {
			t.Errorf("%d columns: %q", n, line)
		}
	}
}
