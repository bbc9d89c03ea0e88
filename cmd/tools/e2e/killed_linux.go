package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// killed checks that a command which ran when the client was killed is recorded as interrupted when the session is resumed.
// The client stores its transcripts below kept.
func killed(kept ...string) check {
	return check{"killed at work", func(ctx context.Context, w *world) (string, bool) {
		if err := w.kill(ctx, filepath.Join(append([]string{w.home}, kept...)...)); err != nil {
			return err.Error(), false
		}
		w.model.play(step{Text: "I am here.", Tokens: 3000})
		if _, err := w.run(ctx, w.Line(w, "are you there", true)...); err != nil {
			return err.Error(), false
		}
		all, err := w.recorded(ctx)
		for _, e := range all {
			if e.Type == "command.ran" && strings.Contains(string(e.Data), "never.fifo") && strings.Contains(string(e.Data), "the client ended while it ran") {
				return "told", true
			}
		}
		if err != nil {
			return err.Error(), false
		}
		return "untold", false
	}}
}

// kill makes the agent run a command that does not end. When a transcript below kept has the call, it kills the client and its
// children.
func (w *world) kill(ctx context.Context, kept string) error {
	bell := filepath.Join(w.project, "never.fifo")
	if err := syscall.Mkfifo(bell, 0o600); err != nil {
		return err
	}
	w.model.play(step{Calls: []call{{Shell: "cat never.fifo"}}, Tokens: 3000})
	line := w.Line(w, "wait for the bell", true)
	c := exec.CommandContext(ctx, line[0], line[1:]...)
	c.Dir, c.Env, c.Stdout, c.Stderr = w.project, w.env(), w.log, w.log
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := c.Start(); err != nil {
		return err
	}
	var writer *os.File // it can be opened when the command reads; the command waits while it is open
	defer func() { writer.Close() }()
	for end := time.Now().Add(turnWait); writer == nil || !holds(kept, "never.fifo"); time.Sleep(100 * time.Millisecond) {
		if writer == nil {
			writer, _ = os.OpenFile(bell, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		}
		if time.Now().After(end) {
			_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
			return fmt.Errorf("the command did not begin: %w", c.Wait())
		}
	}
	err := syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
	_ = c.Wait() // the error says that it was killed
	return err
}

// holds reports whether a file below a directory contains a text.
func holds(dir, text string) (found bool) {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error { // what is moved meanwhile is looked at again
		if err == nil && d.Type().IsRegular() && !found {
			b, _ := os.ReadFile(path)
			found = strings.Contains(string(b), text)
		}
		return nil
	})
	return found
}
