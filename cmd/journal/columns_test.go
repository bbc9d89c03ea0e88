package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/events/text"
)

// wordForWord are the verbs whose output is no text of ours, and why.
var wordForWord = map[string]string{
	"append": "prints numbers", "decide": "prints numbers", "note": "prints numbers", "checkpoint": "prints numbers",
	"compile start": "prints numbers", "compile result": "prints numbers", "compile validated": "prints numbers", "compile diff": "prints numbers",
	"compile answer": "prints numbers", "compile discard": "prints numbers", "compound done": "prints numbers", "work record": "prints a name",
	"phase enter": "prints numbers", "phase complete": "prints numbers", "phase next": "prints numbers", "phase continue": "prints numbers",
	"phase finish": "prints numbers", "phase discard": "prints numbers",
	"port define": "prints numbers", "port start": "prints numbers", "port tick": "prints numbers", "port block": "prints numbers", "port complete": "prints numbers", "port remove": "prints numbers",
	"recover": "is the text that agents get", "export": "is JSON", "hook": "is what an agent reads", "statusline": "is what another command prints",
	"mcp": "is JSON", "help": "TestEveryVerb", "words": "TestEveryVerb", "times": "TestEveryVerb", "work reduce": "is JSON", "work detect": "is silent",
	"work run": "is what workers print", "work resume": "is what workers print", "work gc": "prints a number",
	"markers write": "names files", "markers import": "names files", "serve": "names a directory", "team serve": "prints invitations", "stop": "is silent",
	"redact": "is the text that it was given", "ui": "prints an address",
	"team init": "names files", "team invite": "names files", "team revoke": "prints a name", "team reload": "prints a number",
	"team join": "prints names", "team leave": "prints a name", "team project": "prints names", "team share": "prints numbers", "team unshare": "prints a name", "team heard": "are words of others",
	"team status": "prints numbers", "team restore": "prints numbers",
	"backup": "names a file", "restore-backup": "names a file",
	"install": "shows files of others", "uninstall": "shows files of others", "version": "is a name", "resume-session": "is a command",
}

// linesOfText are the verbs that print text, each with what it is asked for.
var linesOfText = []string{
	"status", "day", "cost", "sessions", "sessions --all", "log -n 0", "log --type turn.ended", "audit", "audit --lost", "audit --all",
	"replay", "replay --seq 20", "replay --diff 5..30", "replay --check", "replay --linked", "doctor --client-version 2.1.329",
	"search limiter", "search --all the", "port show", "phase show", "compound show", "restore", "events", "projections", "verify",
	"work status", "compile next", "compile report", "compile plan", "forget --match limiter --dry-run", "config", "import --dry-run HOME",
	"show 1", "blame limiter.go", "pause", "resume", "repair",
}

// Every text of ours fits a terminal of 80 columns, whatever was recorded.
func TestColumns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.play(recorded, 1, false)
	project := t.TempDir()
	w.env = append(w.env, "COLUMNS=80", "JOURNAL_SESSION=10cf952f-5ea0-426b-8bba-de006d0da81e")
	w.env = slices.DeleteFunc(w.env, func(v string) bool { return strings.HasPrefix(v, "NO_COLOR") })
	long := strings.Repeat("시계는 필드로 주입한다, ", 20) + strings.Repeat("and tokens are refilled, ", 10)
	for _, line := range [][]string{
		{"note", long}, {"decide", long}, {"checkpoint", long},
		{"port", "define", "a-port-with-a-name-that-goes-on-and-on-for-longer-than-anybody-would-read-it", "--title", long, "--item", long},
		{"phase", "enter", "--skill", "a-skill-of-a-long-name", "--phase", "2", "--name", long, "--output", "docs/" + strings.Repeat("deep/", 30) + "file.md", "--next", long},
	} {
		if _, errOut, code := w.run("", line...); code != cli.ExitOK {
			t.Fatalf("%v: %s", line, errOut)
		}
	}
	asked := map[string]bool{}
	for _, line := range linesOfText {
		words := strings.Fields(strings.ReplaceAll(line, "HOME", filepath.Dir(w.dir)))
		c := w.command(words...)
		c.Dir = project
		out, errOut, _ := w.exec(c, "")
		for said := range strings.Lines(out) {
			said = strings.TrimSuffix(said, "\n")
			if n := text.Columns(said); n > 80 && !strings.Contains(said, filepath.Dir(w.dir)) && !strings.Contains(said, os.TempDir()) {
				t.Errorf("journal %s: %d columns: %s", line, n, said)
			}
			if strings.Contains(said, "\x1b") {
				t.Errorf("journal %s: colours where there is no terminal: %q", line, said)
			}
		}
		if strings.Contains(errOut, "--help") {
			t.Errorf("journal %s: %s", line, errOut)
		}
		name, _, _ := strings.Cut(line, " -")
		asked[name] = true
		asked[words[0]] = true
	}
	var each func(c *cobra.Command, name string)
	each = func(c *cobra.Command, name string) {
		if c.HasAvailableSubCommands() {
			for _, sub := range c.Commands() {
				each(sub, strings.TrimSpace(name+" "+sub.Name()))
			}
			return
		}
		if (c.IsAvailableCommand() || c.IsAdditionalHelpTopicCommand()) && !asked[name] && wordForWord[name] == "" && !strings.HasPrefix(name, "completion") {
			t.Errorf("nobody looks at how wide the text of journal %s is", name)
		}
	}
	each(cli.NewApp().Commands(), "")
}
