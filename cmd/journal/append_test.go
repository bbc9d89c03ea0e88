package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"journal/cmd/journal/cli"
)

// Secrets are removed before anything is stored, on every way in: by hand, from a
// hook, while no owner may run, and by a script's own spool file.
func TestSecretsStayOut(t *testing.T) {
	t.Parallel()
	secret := "ghp_" + strings.Repeat("Ab3", 12)
	for name, leave := range map[string]func(w *world){
		"append": func(w *world) {
			if _, errOut, code := w.run("", "append", "decision.recorded", "--data", `{"text":"use `+secret+`"}`); code != cli.ExitOK {
				w.Error(errOut)
			}
		},
		"hook": func(w *world) { w.hook(prompt("s1", "use "+secret)) },
		"broken": func(w *world) {
			w.hook(`{"session_id":"s1","hook_event_name":"UserPromptSubmit","prompt":"use ` + secret)
		},
		"statusline": func(w *world) {
			w.run(`{"session_id":"s1","cwd":"/`+secret+`","context_window":{"used_percentage":5}}`, "statusline")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.env = append(w.env, "JOURNAL_OWNER=never-spawn") // so that the spool is seen too
			w.keepsTime()                                      // nobody will answer
			leave(w)
			if n := w.spooled(); n != 1 {
				t.Fatalf("%d files in the spool", n)
			}
			w.holdsNot(secret)
			if len(w.events()) == 0 {
				t.Error("nothing is in the log")
			}
			w.holdsNot(secret)
		})
	}
}

// holdsNot fails when any file of the journal holds the words.
func (w *world) holdsNot(words string) {
	w.Helper()
	err := filepath.WalkDir(w.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if strings.Contains(string(b), words) {
			w.Errorf("%s holds them", path)
		}
		return err
	})
	if err != nil {
		w.Error(err)
	}
}
