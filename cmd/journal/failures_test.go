package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"journal/cmd/journal/cli"
)

// ofLibraries are words that only libraries say.
var ofLibraries = []string{"nats:", " json:", "strconv", "unexpected EOF", "unexpected end", "context ", "invalid character", "pflag", "unknown command", "accepts ", "runtime"}

// Every failure that can be provoked is told in one error: and one try:, in words of ours.
func TestFailures(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.play(recorded, 1, false)
	home := filepath.Dir(w.dir)
	write := func(name, content string) string {
		t.Helper()
		path := filepath.Join(home, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	file, broken := write("file", "not for us"), write("broken.json", `{"stop":`)
	foreign := filepath.Join(home, "foreign") // a journal in which files of others lie
	if err := os.MkdirAll(filepath.Join(foreign, "spool"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(foreign, "format"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.env = append(w.env, "JOURNAL_SESSION=10cf952f-5ea0-426b-8bba-de006d0da81e")
	for _, c := range []struct {
		line, stdin, env string
		code             int
		says             string
	}{
		{line: "sesions", code: cli.ExitUsage, says: `no command "sesions"; did you mean sessions?`},
		{line: "stauts", code: cli.ExitUsage, says: "did you mean status?"},
		{line: "zzzzzz --json", code: cli.ExitUsage, says: `no command "zzzzzz"`},
		{line: "port defin x", code: cli.ExitUsage, says: "did you mean define?"},
		{line: "work recrd", code: cli.ExitUsage, says: "did you mean record?"},
		{line: "work record strat", code: cli.ExitUsage, says: "did you mean start?"},
		{line: "log --sesion x", code: cli.ExitUsage, says: "no flag --sesion; did you mean --session?"},
		{line: "log -q", code: cli.ExitUsage, says: "no flag -q"},
		{line: "log --session", code: cli.ExitUsage, says: "--session needs a value"},
		{line: "log words", code: cli.ExitUsage, says: `takes no "words"`},
		{line: "log -n many", code: cli.ExitUsage, says: `--lines: "many" is not a whole number`},
		{line: "log --since yesterdy", code: cli.ExitUsage, says: `"yesterdy" is not a valid time`},
		{line: "log --json=perhaps", code: cli.ExitUsage, says: `--json: "perhaps" is not true or false`},
		{line: "log --type decison.recorded", code: cli.ExitUsage, says: "did you mean decision.recorded?"},
		{line: "export --type decison.recorded", code: cli.ExitUsage, says: "did you mean decision.recorded?"},
		{line: "export --format xml", code: cli.ExitUsage, says: "xml"},
		{line: "append decison.recorded", code: cli.ExitError, says: "did you mean decision.recorded?"},
		{line: "append decision.recorded --data {", code: cli.ExitError, says: "--data is not JSON"},
		{line: "append", code: cli.ExitUsage, says: "missing TYPE"},
		{line: "port tick auth", code: cli.ExitUsage, says: "missing ITEM"},
		{line: "replay --projection todo", code: cli.ExitUsage, says: "did you mean todos?"},
		{line: "replay --at never", code: cli.ExitUsage, says: "is not a valid time"},
		{line: "replay --seq 99999", code: cli.ExitError, says: "#99999"},
		{line: "recover --lang de", code: cli.ExitUsage, says: `there is no recovery text in "de"`},
		{line: "recover --session zzzz", code: cli.ExitError, says: "no session zzzz"},
		{line: "audit --compaction 9", code: cli.ExitError, says: "no compaction 9"},
		{line: "audit --html " + home + "/none/page.html", code: cli.ExitError, says: "no such"},
		{line: "restore nope-1", code: cli.ExitError, says: "nope-1"},
		{line: "import " + home + "/none", code: cli.ExitError, says: "no such"},
		{line: "compile result --from " + file, code: cli.ExitError, says: "no JSON object"},
		{line: "work run " + home + "/none --command x", code: cli.ExitUsage, says: "no such"},
		{line: "work detect", stdin: "{", code: cli.ExitUsage, says: "not JSON"},
		{line: "work record start", stdin: "{", code: cli.ExitUsage, says: "JSON object"},
		{line: "forget", code: cli.ExitUsage, says: "what to forget?"},
		{line: "forget --match limiter", code: cli.ExitError, says: "cannot ask for confirmation without a terminal"},
		{line: "replay", env: "JOURNAL_CONFIG=" + broken, code: cli.ExitError, says: "line 1: it ends too early"},
		{line: "config", env: "JOURNAL_CONFIG=" + broken, code: cli.ExitError, says: "line 1: it ends too early"},
		{line: "config", env: "JOURNAL_CONFIG=" + home, code: cli.ExitError, says: "configuration"},
		{line: "serve --listen foo", code: cli.ExitUsage, says: "not loopback"},
		{line: "--dir " + file + " log", code: cli.ExitError, says: "is a file"},
		{line: "--dir " + file + "/below log", code: cli.ExitError, says: "not a directory"},
		{line: "--dir " + foreign + " log", code: cli.ExitError, says: "does not hold a format number"},
		{line: "--dir " + foreign + " log", env: "JOURNAL_OWNER=never-spawn", code: cli.ExitError, says: "does not hold a format number"},
		{line: "--dir " + home + "/none sessions", code: cli.ExitError, says: "there is no journal"},
	} {
		t.Run(c.line, func(t *testing.T) {
			cmd := w.command(strings.Fields(c.line)...)
			cmd.Env = append(cmd.Env, c.env)
			_, errOut, code := w.exec(cmd, c.stdin)
			lines := strings.Split(strings.TrimSuffix(errOut, "\n"), "\n")
			if n := len(lines); code != c.code || n < 2 || !strings.HasPrefix(lines[n-2], "error: ") || !strings.HasPrefix(lines[n-1], "try: ") ||
				!strings.Contains(errOut, c.says) {
				t.Errorf("ends with %d, want %d and %q:\n%s", code, c.code, c.says, errOut)
			}
			for _, word := range ofLibraries {
				if strings.Contains(errOut, word) {
					t.Errorf("%q is the word of a library:\n%s", word, errOut)
				}
			}
		})
	}
	locked := filepath.Join(home, "locked")
	if err := os.Mkdir(locked, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // whom no mode stops starts an owner there
		w.run("", "--dir", locked, "stop")
	})
	if _, errOut, code := w.run("", "--dir", locked, "log"); code != cli.ExitError && os.Geteuid() != 0 || code == cli.ExitError && !strings.Contains(errOut, "\ntry: ") {
		t.Errorf("a directory that may not be read ends with %d: %s", code, errOut)
	}
}
