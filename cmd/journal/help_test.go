package main

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
)

// Every verb says in its help how it ends, and refuses words that it does not know (ADR-0031).
func TestEveryVerb(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	overview, _, _ := w.run("", "--help")
	if n := strings.Count(overview, "\n"); n > 45 {
		t.Errorf("the overview has %d lines, a screen has 45", n)
	}
	for line := range strings.Lines(overview) {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	var each func(c *cobra.Command)
	each = func(c *cobra.Command) {
		line := strings.Fields(c.CommandPath())[1:]
		t.Run(strings.Join(line, " "), func(t *testing.T) {
			t.Parallel()
			run := w.here
			if c.Run != nil { // an agent's
				run = func(args ...string) (string, string, int) { return w.run("", args...) }
			}
			out, errOut, code := run(append(line, "--help")...)
			if code != cli.ExitOK || errOut != "" {
				t.Errorf("help ends with %d: %s", code, errOut)
			}
			if topic := !c.Runnable() && !c.HasSubCommands(); !c.Hidden && !topic && c.Name() != "version" {
				if !strings.Contains(out, "Exit codes:") {
					t.Errorf("no exit codes in the help:\n%s", out)
				}
				if len(line) == 1 && c.GroupID == "" {
					t.Error("it stands in no group")
				}
			}
			for text := range strings.Lines(out) {
				if text = strings.TrimSuffix(text, "\n"); len([]rune(text)) > 80 {
					t.Errorf("%d columns: %s", len([]rune(text)), text)
				}
			}
			if c.Run != nil {
				return // an agent's takes everything
			}
			out, errOut, code = run(append(line, "--no-such-flag")...)
			if code != cli.ExitUsage || out != "" || !strings.HasPrefix(errOut, "error: ") || !strings.Contains(errOut, "\ntry: journal "+strings.Join(line, " ")) {
				t.Errorf("an unknown flag ends with %d, stdout %q, stderr %q", code, out, errOut)
			}
		})
		for _, sub := range c.Commands() {
			each(sub)
		}
	}
	for _, c := range cli.NewApp().Commands().Commands() {
		if c.Name() != "help" && c.Name() != "completion" {
			each(c)
		}
	}
}
