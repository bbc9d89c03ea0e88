package main

import (
	"context"
	"io"
	"testing"

	"journal/cmd/journal/cli"
)

// A list that a person interrupts is not whole, so its exit code is not 0. With -f it has no other end.
func TestInterruptedLog(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	vars := map[string]string{"JOURNAL_OWNER": "never-spawn"}
	for flag, want := range map[string]int{"--all": cli.ExitError, "-f": cli.ExitOK} {
		a := cli.NewApp()
		a.Dir, a.Out, a.Err = t.TempDir(), io.Discard, io.Discard
		a.Getenv = func(name string) string { return vars[name] }
		if code := a.Run(ctx, []string{"log", flag}); code != want {
			t.Errorf("journal log %s ends with %d, want %d", flag, code, want)
		}
	}
}
