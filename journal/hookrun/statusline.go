package hookrun

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"journal/events/text"
	"journal/journal/agents"
	"journal/journal/disk"
	"journal/journal/wire"
	"journal/journal/wire/client"
)

const (
	// statuslineBytes bounds the input. Real inputs have 2 KB.
	statuslineBytes = 1 << 20
	// statuslineWait bounds the wait for the recording after the command has ended: the client shows the output only when this
	// process ends.
	statuslineWait = 300 * time.Millisecond
)

// Statusline records the context usage in one input of the agent's statusline: `journal statusline [-- COMMAND...]`. It runs the
// command with the same input, or without a command prints a line about the usage.
//
// The result is the exit code of the command, as a shell gives it; 0 without a command, or if it did not start.
func Statusline(e Env, args []string) (code int) {
	h := begin(e)
	defer h.recoverPanic()
	start := handleSignals()
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	input, err := io.ReadAll(io.LimitReader(h.stdin(), statuslineBytes))
	if err != nil {
		h.logError("statusline", err)
	}
	recorded := make(chan string, 1)
	go func() {
		defer h.recoverPanic()
		recorded <- h.recordUsage(input, func(r wire.Request) (client.Receipt, error) {
			return h.Open(nil).Send(context.Background(), r, 0)
		})
	}()
	if len(args) > 0 {
		code = h.printStatus(args, input, start)
	}
	select {
	case line := <-recorded:
		if len(args) == 0 && line != "" {
			fmt.Fprintln(h.Out, line)
		}
	case <-time.After(h.Pace.Of(statuslineWait)):
		h.logError("statusline", errors.New("out of time"))
	}
	return code
}

// printStatus runs the person's own statusline command with the input, and waits for it. start is that of handleSignals: the command
// must end with this process, which the client ends when a newer call starts. It returns the exit code.
func (h *call) printStatus(args []string, input []byte, start func(*exec.Cmd) error) int {
	c := exec.Command(args[0], args[1:]...)
	c.Stdin, c.Stdout, c.Stderr = bytes.NewReader(input), h.Out, os.Stderr
	if err := start(c); err != nil {
		h.logError("statusline command", err)
		return 0
	}
	if err := c.Wait(); err != nil {
		h.logError("statusline command", err)
	}
	return exitCode(c.ProcessState)
}

// exitCode returns the exit code of an ended process, as a shell gives it: that of a signal is 128 more.
func exitCode(p *os.ProcessState) int {
	if status, ok := p.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return p.ExitCode()
}

// recordUsage appends a sample of the context usage unless it equals the previous sample of the session. It returns a line about the
// usage, "" without a sample.
func (h *call) recordUsage(input []byte, deliver deliver) string {
	d := agents.Statusline()
	if d == nil {
		return ""
	}
	report := d.Usage(bytes.NewReader(input), agents.Env{Getenv: h.Getenv, Now: h.began})
	hook := report.Hook
	if hook.Broken != "" {
		h.logError("statusline", errors.New(hook.Broken))
		return ""
	}
	if hook.Usage == nil {
		return ""
	}
	line := fmt.Sprintf("context %d%% of %s", hook.Usage.Percent, text.Short(hook.Usage.Window))
	if hook.Usage.Tokens > hook.Usage.Window { // the window is wrong, and with it the percentage
		line = "context " + text.Short(hook.Usage.Tokens)
	}
	sample := fmt.Sprintf("%d %d\n", hook.Usage.Percent, hook.Usage.Window)
	hint := filepath.Join(h.Dir, "usage", wire.Token(hook.Session))
	if last, err := disk.ReadFile(hint, 1<<10); err == nil && string(last) == sample {
		return line
	}
	switch err := h.appendReport(report, deliver); {
	case errors.Is(err, client.ErrPaused), errors.Is(err, errNotCarried):
		return line
	case err != nil:
		h.logError("statusline", err, "session", hook.Session)
		return line
	}
	// The hint saves the next call an append. Without it a sample is stored twice, which changes no state.
	if err := os.MkdirAll(filepath.Dir(hint), 0o700); err == nil {
		_ = disk.Replace(hint, []byte(sample))
	}
	return line
}

// appendReport delivers the events of a report.
func (h *call) appendReport(report agents.Report, deliver deliver) error {
	envelopes, err := client.ReportOf(h.id, report.Hook, report.Key)
	if err != nil {
		return err
	}
	r, err := client.NewRequest(envelopes, report.Hook.Root)
	if err != nil {
		return err
	}
	_, err = deliver(r)
	return err
}
