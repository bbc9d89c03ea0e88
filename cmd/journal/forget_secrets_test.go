package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"journal/cmd/journal/cli"
	"journal/events"
	"journal/journal/redact"
	"journal/journal/wire/client"
)

// ADR-0017 rule 6: what older rules let through is replaced everywhere, and nothing else changes.
func TestForgetSecrets(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	secrets := []string{"sw0rdfish-" + strings.Repeat("Ab3", 5), "correct horse battery", "ghp_" + strings.Repeat("Ab3", 12)}
	// An appender that says that these rules redacted its events is believed: so stand events of older rules in a log.
	meta := events.Meta{Rules: int(redact.RuleSet), Session: "s1", Agent: "claude", Project: "p1", At: 1_760_000_000_000_000_000}
	report, err := client.Report(meta, []byte(`{"tool_name":"mcp__db__open","tool_input":{"credentials":{"pw":"`+secrets[1]+`"},"host":"db1"}}`),
		events.PromptSubmitted{Text: "log in with password=" + secrets[0] + " and go on"})
	if err != nil {
		t.Fatal(err)
	}
	more, err := client.Report(meta, nil, events.PromptSubmitted{Text: "nothing to hide"}, events.PromptSubmitted{Text: "use " + secrets[2]})
	if err != nil {
		t.Fatal(err)
	}
	appender := client.Open(w.dir, client.Options{})
	for _, e := range append(report, more...) {
		r, err := client.NewRequest([]events.Envelope{e}, "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := appender.Send(t.Context(), r, 0); err != nil {
			t.Fatal(err)
		}
	}
	aside := filepath.Join(w.dir, "spool", "aside", "x.json")
	if err := os.MkdirAll(filepath.Dir(aside), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(aside, []byte(`{"broken":1,"token":"`+secrets[2]+`"`), 0o600); err != nil {
		t.Fatal(err)
	}
	before := w.events()
	if log, _, _ := w.run("", "log", "--json"); !strings.Contains(log, secrets[0]) || !strings.Contains(log, secrets[1]) || fileWith(t, w.dir, secrets[2]) == "" {
		t.Fatal("no file holds what is to be replaced")
	}

	out, errOut, code := w.run("", "forget", "--secrets", "--dry-run")
	for _, want := range []string{"password", "/data/text", "/more/tool_input/credentials/pw", "21 bytes", "github-token", "4 secrets in 2 events and 1 other file"} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("%q is missing, code %d: %s%s", want, code, out, errOut)
		}
	}
	for _, s := range secrets {
		if strings.Contains(out+errOut, s) {
			t.Errorf("the list shows %q", s)
		}
	}
	if _, errOut, code := w.run("", "forget", "--secrets"); code != cli.ExitError || !strings.Contains(errOut, "cannot ask for confirmation without a terminal") {
		t.Errorf("code %d: %s", code, errOut)
	}
	out, errOut, code = w.run("", "forget", "--secrets", "--yes")
	if code != 0 || !strings.Contains(out, "replaced: 4 secrets") {
		t.Fatalf("code %d: %s%s", code, out, errOut)
	}
	after := w.events()
	if len(after) != len(before) {
		t.Fatalf("%d events, then %d", len(before), len(after))
	}
	for i := range before {
		if before[i].Seq != after[i].Seq || before[i].ID != after[i].ID || before[i].Type != after[i].Type {
			t.Errorf("%+v became %+v", before[i], after[i])
		}
	}
	log, _, _ := w.run("", "log", "--json")
	for _, want := range []string{`log in with password=[redacted:password] and go on`, `"pw":"[redacted:password]"`, `"host":"db1"`, "nothing to hide", "use [redacted:github-token]"} {
		if !strings.Contains(log, want) {
			t.Errorf("%q is missing in %s", want, log)
		}
	}
	for _, verb := range []string{"stop", "verify"} {
		if out, errOut, code := w.run("", verb); code != 0 {
			t.Errorf("%s ends with %d: %s%s", verb, code, out, errOut)
		}
	}
	for _, s := range secrets {
		if path := fileWith(t, w.dir, s); path != "" {
			t.Errorf("%s still holds %q", path, s)
		}
	}
	if out, _, code := w.run("", "forget", "--secrets", "--yes"); code != 0 || !strings.Contains(out, "0 secrets in 0 events") {
		t.Errorf("again, code %d: %s", code, out)
	}
}

// fileWith gives a file below a directory that holds a text, "" when none does.
func fileWith(t *testing.T, dir, text string) (found string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if bytes.Contains(b, []byte(text)) {
			found = path
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
