package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
		{line: "sesions", code: exitUsage, says: `no command "sesions"; did you mean sessions?`},
		{line: "stauts", code: exitUsage, says: "did you mean status?"},
		{line: "zzzzzz --json", code: exitUsage, says: `no command "zzzzzz"`},
		{line: "port defin x", code: exitUsage, says: "did you mean define?"},
		{line: "work recrd", code: exitUsage, says: "did you mean record?"},
		{line: "work record strat", code: exitUsage, says: "did you mean start?"},
		{line: "log --sesion x", code: exitUsage, says: "no flag --sesion; did you mean --session?"},
		{line: "log -q", code: exitUsage, says: "no flag -q"},
		{line: "log --session", code: exitUsage, says: "--session needs a value"},
		{line: "log words", code: exitUsage, says: `takes no "words"`},
		{line: "log -n many", code: exitUsage, says: `--lines: "many" is no whole number`},
		{line: "log --since yesterdy", code: exitUsage, says: `"yesterdy" is no time`},
		{line: "log --json=perhaps", code: exitUsage, says: `--json: "perhaps" is no true or false`},
		{line: "log --type decison.recorded", code: exitUsage, says: "did you mean decision.recorded?"},
		{line: "export --type decison.recorded", code: exitUsage, says: "did you mean decision.recorded?"},
		{line: "export --format xml", code: exitUsage, says: "xml"},
		{line: "append decison.recorded", code: exitError, says: "did you mean decision.recorded?"},
		{line: "append decision.recorded --data {", code: exitError, says: "--data is no JSON"},
		{line: "append", code: exitUsage, says: "TYPE is missing"},
		{line: "port tick auth", code: exitUsage, says: "ITEM is missing"},
		{line: "replay --projection todo", code: exitUsage, says: "did you mean todos?"},
		{line: "replay --at never", code: exitUsage, says: "is no time"},
		{line: "replay --seq 99999", code: exitError, says: "#99999"},
		{line: "recover --lang de", code: exitUsage, says: `no recovery text is in "de"`},
		{line: "recover --session zzzz", code: exitError, says: "no session zzzz"},
		{line: "audit --compaction 9", code: exitError, says: "no compaction 9"},
		{line: "audit --html " + home + "/none/page.html", code: exitError, says: "no such"},
		{line: "restore nope-1", code: exitError, says: "nope-1"},
		{line: "import " + home + "/none", code: exitError, says: "no such"},
		{line: "compile result --from " + file, code: exitError, says: "no JSON object"},
		{line: "work run " + home + "/none --command x", code: exitUsage, says: "no such"},
		{line: "work detect", stdin: "{", code: exitUsage, says: "not JSON"},
		{line: "work record start", stdin: "{", code: exitUsage, says: "JSON object"},
		{line: "forget", code: exitUsage, says: "says what to forget"},
		{line: "forget --match limiter", code: exitError, says: "nobody is there to confirm"},
		{line: "replay", env: "JOURNAL_CONFIG=" + broken, code: exitError, says: "line 1: it ends too early"},
		{line: "config", env: "JOURNAL_CONFIG=" + broken, code: exitError, says: "line 1: it ends too early"},
		{line: "config", env: "JOURNAL_CONFIG=" + home, code: exitError, says: "configuration"},
		{line: "serve --listen foo", code: exitUsage, says: "not loopback"},
		{line: "--dir " + file + " log", code: exitError, says: "is a file"},
		{line: "--dir " + file + "/below log", code: exitError, says: "not a directory"},
		{line: "--dir " + foreign + " log", code: exitError, says: "does not hold a format number"},
		{line: "--dir " + foreign + " log", env: "JOURNAL_OWNER=never-spawn", code: exitError, says: "does not hold a format number"},
		{line: "--dir " + home + "/none sessions", code: exitError, says: "there is no journal"},
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
	if _, errOut, code := w.run("", "--dir", locked, "log"); code != exitError && os.Geteuid() != 0 || code == exitError && !strings.Contains(errOut, "\ntry: ") {
		t.Errorf("a directory that may not be read ends with %d: %s", code, errOut)
	}
}
