package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"journal/journal"
	"journal/journal/hooks"
)

var _ = verb(func(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "statusline [-- COMMAND...]",
		Short: "statusline bridge: record how full the context is, print what COMMAND prints",
		Long: `Takes the input of the agent's statusline on stdin, records how full the context is when
that changed, and prints what COMMAND prints for the same input; without a COMMAND, a line
of its own. It starts no owner.

Exit codes: always 0.`,
		Run: func(_ *cobra.Command, args []string) { runStatusline(a, args) },
	}
})

var _ = quietVerb("statusline", runStatusline)

const (
	// statuslineBytes bounds the input. Real ones have 2 KB.
	statuslineBytes = 1 << 20
	// statuslineWait bounds the recording; the client shows what is printed
	// only when the process has ended.
	statuslineWait = 300 * time.Millisecond
)

func runStatusline(a *app, args []string) {
	fatalFaultsAreNotBlocks()
	h := &hookRun{app: a, began: time.Now()}
	defer h.caught()
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	input, err := io.ReadAll(io.LimitReader(deadline(a.in, a.pace(stdinWait)), statuslineBytes))
	if err != nil {
		h.trouble("statusline", err)
	}
	recorded := make(chan string, 1)
	go func() {
		defer h.caught()
		recorded <- h.recordUsage(input)
	}()
	if len(args) > 0 {
		h.printStatus(args, input)
	}
	select {
	case line := <-recorded:
		if len(args) == 0 && line != "" {
			fmt.Fprintln(a.out, line)
		}
	case <-time.After(a.pace(statuslineWait)):
		h.trouble("statusline", errors.New("out of time"))
	}
}

// printStatus runs the person's own statusline and passes on what it prints. It
// ends with this process: the client ends an older call when a newer one starts.
func (h *hookRun) printStatus(args []string, input []byte) {
	c := exec.Command(args[0], args[1:]...)
	c.Stdin, c.Stdout, c.Stderr = bytes.NewReader(input), h.app.out, os.Stderr
	ownGroup(c)
	started, stop := endWithUs()
	defer stop()
	err := c.Start()
	if err == nil {
		started(c.Process)
		err = c.Wait()
	}
	if err != nil {
		h.trouble("statusline command", err)
	}
}

// recordUsage appends a sample unless it is the one before, and gives a line
// about it.
func (h *hookRun) recordUsage(input []byte) string {
	d := hooks.Statusline()
	if d == nil {
		return ""
	}
	report := d.Usage(bytes.NewReader(input), hooks.Env{Getenv: h.app.getenv, Now: h.began})
	hook := report.Hook
	if hook.Broken != "" {
		h.trouble("statusline", errors.New(hook.Broken))
		return ""
	}
	if hook.Usage == nil {
		return ""
	}
	line := fmt.Sprintf("context %d %% of %dk", hook.Usage.Percent, hook.Usage.Window/1000)
	sample := fmt.Sprintf("%d %d\n", hook.Usage.Percent, hook.Usage.Window)
	hint := filepath.Join(h.app.dir, "usage", journal.Token(hook.Session))
	if last, err := os.ReadFile(hint); err == nil && string(last) == sample {
		return line
	}
	switch err := h.append(report); {
	case errors.Is(err, journal.ErrPaused):
		return line
	case err != nil:
		h.trouble("statusline", err, "session", hook.Session)
		return line
	}
	// The hint saves the next call the append. Without it a sample is stored
	// twice, which changes no state.
	if err := os.MkdirAll(filepath.Dir(hint), 0o700); err == nil {
		_ = os.WriteFile(hint, []byte(sample), 0o600)
	}
	return line
}

// append hands a report over without starting an owner.
func (h *hookRun) append(report hooks.Report) error {
	envelopes, err := journal.ReportOf(report.Hook, report.Key)
	if err != nil {
		return err
	}
	r, err := journal.NewRequest(envelopes, report.Hook.Root)
	if err != nil {
		return err
	}
	_, err = journal.Open(h.app.dir, journal.Options{Pace: h.app.pace}).Send(context.Background(), r, 0)
	return err
}
