package recovery_test

import (
	"strings"
	"testing"

	"journal/projections"
	"journal/replay/recovery"
)

// TestPhrase: every language has its own words for a phrase, with the data in them. The error about an unknown phrase names
// it.
func TestPhrase(t *testing.T) {
	t.Parallel()
	said := map[string]bool{}
	for _, lang := range recovery.Languages() {
		got, err := recovery.Phrase(lang, "start-command", "/opt/journal")
		if err != nil || !strings.Contains(got, "/opt/journal") || strings.TrimSpace(got) != got {
			t.Errorf("%s: %q, %v", lang, got, err)
		}
		said[got] = true
		if got, err := recovery.Phrase(lang, "nosuch", nil); err == nil || got != "" || !strings.Contains(err.Error(), "nosuch in "+lang) {
			t.Errorf("%s: %q, %v", lang, got, err)
		}
		if _, err := recovery.Guidance(new(projections.Fold), lang); err != nil {
			t.Errorf("%s: no guidance: %v", lang, err)
		}
	}
	if len(said) != len(recovery.Languages()) {
		t.Errorf("%d different phrases in %d languages", len(said), len(recovery.Languages()))
	}
	english, err := recovery.Phrase("en", "start-command", "x")
	if other, otherErr := recovery.Phrase("eo", "start-command", "x"); err != nil || otherErr != nil || other != english {
		t.Errorf("in a language that is not built in: %q, %v; want %q", other, otherErr, english)
	}
}
