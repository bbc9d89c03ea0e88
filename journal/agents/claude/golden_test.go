package claude_test

import (
	"bytes"
	"testing"

	"journal/journal/hooks/hookstest"
)

// What each payload of each version of the client means.
func TestClaudeGolden(t *testing.T) {
	t.Parallel()
	for _, s := range samples(t, "") {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			hookstest.Golden(t, s, read(t, s.Body))
		})
	}
}

func TestClaudeUsageGolden(t *testing.T) {
	t.Parallel()
	for _, s := range samples(t, "statusline") {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			hookstest.Golden(t, s, dialect(t).Usage(bytes.NewReader(s.Body), env()))
		})
	}
}
