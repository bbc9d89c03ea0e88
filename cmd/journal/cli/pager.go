package cli

import (
	"bytes"
	"cmp"
	"errors"
	"os"
	"os/exec"
	"os/signal"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// pager holds back the result of a verb until it is known whether it fits the terminal.
type pager struct {
	terminal *os.File
	held     []byte
	full     bool // too much was held: the rest goes directly to the terminal
}

// heldBytes bounds what is held.
const heldBytes = 8 << 20

// Write satisfies io.Writer.
func (p *pager) Write(b []byte) (int, error) {
	if p.held = append(p.held, b...); !p.full && len(p.held) <= heldBytes {
		return len(b), nil
	}
	p.full = true
	_, err := p.terminal.Write(p.held)
	p.held = p.held[:0]
	return len(b), err
}

// Paged declares that a person reads the result of a command from its top: what does not fit the terminal goes through
// PAGER.
func Paged(c *cobra.Command) *cobra.Command { return annotate(c, paged, "yes") }

const paged = "read from the top"

// hold holds back what a paged verb prints for a person on a terminal. An agent gets no
// pager, because that would wait for a key.
func hold(a *App, c *cobra.Command) {
	d, ok := a.Out.(*display)
	if !ok || c.Annotations[paged] == "" {
		return
	}
	_, agent := a.inAgent()
	f := c.Flags().Lookup("follow")
	follows := f != nil && f.Changed
	capable := IsTerminal(a.In) && IsTerminal(d) && a.Getenv("TERM") != "dumb"
	if !agent && !a.Confined && !follows && capable {
		d.to = &pager{terminal: fileOf(d)}
	}
}

// release shows what was held back.
func release(a *App) {
	if p, ok := Verbatim(a.Out).(*pager); ok && len(p.held) > 0 {
		p.release(cmp.Or(a.Getenv("PAGER"), "less -RX"))
	}
}

// release shows what was held back: in the person's pager if it does not fit.
func (p *pager) release(command string) {
	_, height, err := term.GetSize(int(p.terminal.Fd()))
	if err == nil && bytes.Count(p.held, []byte("\n")) >= height && p.runPager(command) {
		return
	}
	_, _ = p.terminal.Write(p.held) // an error of writing to a terminal has no reader
}

// runPager shows what was held back in a pager. It reports whether the pager could be run.
func (p *pager) runPager(command string) bool {
	c := exec.Command("sh", "-c", command)
	c.Stdin, c.Stdout = bytes.NewReader(p.held), p.terminal
	c.Env = append(os.Environ(), "LESSCHARSET=utf-8")
	signal.Notify(make(chan os.Signal, 1), os.Interrupt) // the pager's own
	err := c.Run()
	exit, ended := errors.AsType[*exec.ExitError](err)
	return err == nil || ended && exit.ExitCode() < 126 // the shell returns 127 for a missing command
}
