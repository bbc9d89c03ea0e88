package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// wrongInput are commands as people mistype them, one a line, "" for an empty word, where a journal has one recorded session.
const wrongInput = `
sesions
day someday
day yesterday tomorrow
day --project nosuch
day --html nowhere/day.html
day --html - --json
sessions -n -1
sessions -n many
sessions --project nosuch
sessions nosuch extra
search
search ""
search bucket --type nosuch.type
search bucket --since whenever
search bucket --limit 0
search bucket --session ffff
audit --session ffff
audit ffff
audit --project nosuch
audit --all --csv --json
audit --since whenever --all
audit --html nowhere/page.html --session 10cf
recover --session ffff
recover --project nosuch
recover --lang
recover --bogus
replay --session ffff
replay --at #0
replay --at nowhen --session 10cf
replay --at before-compaction:9 --session 10cf
replay --at before-compaction:x --session 10cf
replay --projection nosuch --session 10cf
restore nosuch-1 --session 10cf
restore --session ffff todo-1
show
show x
show 999999
show 0
log --project nosuch
log --session ffff
log --type nosuch.type
log --since whenever
log -n -5
log extra
ui --listen 0.0.0.0:0
ui --listen nonsense
ui --session ffff
append
append nosuch.type --data {}
append note.recorded --data {
decide
decide ""
decide --replaces 999999 otherwise
decide --retract 999999 why
note
port nosuch
port tick nosuch item
phase nosuch
checkpoint
forget
forget --session ffff --yes
forget --project nosuch --yes
import nosuch.jsonl
import /etc/passwd
import empty.jsonl
redact nosuch.txt
export --format nosuch
export --since whenever
backup
backup nowhere/backup.tar
restore-backup
restore-backup nosuch.backup
projections nosuch
events nosuch
install nosuch
uninstall nosuch
completion nosuch
team join
team nosuch
config nosuch
help nosuch
serve --listen 0.0.0.0:1
--dir
--bogus
`

// Every mistake is said in one line that begins with error:, the next one says what to try, and the exit code says
// that it failed.
func TestWrongInput(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.play(recorded, 1, false)
	place := t.TempDir()
	if err := os.WriteFile(filepath.Join(place, "empty.jsonl"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(wrongInput), "\n")
	if len(lines) < 60 {
		t.Fatalf("%d wrong inputs", len(lines))
	}
	for _, line := range lines {
		args := strings.Fields(line)
		for i := range args {
			if args[i] == `""` {
				args[i] = ""
			}
		}
		c := w.command(args...)
		c.Dir = place
		_, errOut, code := w.exec(c, "")
		first, rest, _ := strings.Cut(errOut, "\n")
		if code == 0 || !strings.HasPrefix(first, "error: ") || !strings.HasPrefix(rest, "try: ") || strings.Contains(errOut, "goroutine ") {
			t.Errorf("journal %s: %d, %q", line, code, errOut)
		}
	}
}

// A configuration that is none is said too, and what would need none goes on.
func TestWrongConfiguration(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.play(recorded, 1, false)
	file := filepath.Join(t.TempDir(), "config.json")
	w.env = append(w.env, "JOURNAL_CONFIG="+file)
	for _, content := range []string{"{", `{"pressur":{}}`, `{"ui":{"remember":-1}}`, `{"stop":"never"}`, "not JSON"} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, errOut, code := w.run("", "config")
		if code == 0 || !strings.Contains(errOut, "error: ") || !strings.Contains(errOut, "\ntry: ") {
			t.Errorf("%s: %d, %q", content, code, errOut)
		}
	}
}
