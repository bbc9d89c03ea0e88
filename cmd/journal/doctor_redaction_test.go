package main

import (
	"strings"
	"testing"

	"journal/events"
	"journal/journal/redact"
	"journal/journal/wire/client"
)

// ADR-0016 rule 5: doctor says in how many events the present rules find secrets, and what to do.
func TestDoctorCountsWhatOtherRulesLeft(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	// Newer rules than an owner's are believed: so stand events of other rules in a log.
	meta := events.Meta{Rules: int(redact.RuleSet) + 1, Session: "s1", Agent: "claude", Project: "p1", At: 1_760_000_000_000_000_000}
	all, err := client.Report(meta, nil, events.PromptSubmitted{Text: "SVC_PASSWORD=" + strings.Repeat("aB3(", 4)}, events.PromptSubmitted{Text: "nothing to hide"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := client.NewRequest(all, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Open(w.dir, client.Options{}).Send(t.Context(), r, 0); err != nil {
		t.Fatal(err)
	}
	w.events() // starts an owner
	if out, errOut, _ := w.run("", "doctor"); !strings.Contains(out, "find secrets in 1 event of 2") || !strings.Contains(out, "journal forget --secrets") {
		t.Errorf("%s%s", out, errOut)
	}
	if out, errOut, code := w.run("", "forget", "--secrets", "--yes"); code != 0 {
		t.Fatalf("%s%s", out, errOut)
	}
	w.events()
	if out, _, _ := w.run("", "doctor"); strings.Contains(out, "forget --secrets") {
		t.Error(out)
	}
}
