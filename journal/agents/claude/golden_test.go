package claude_test

import (
	"bytes"
	"testing"

	"journal/journal/hooks"
	"journal/journal/hooks/hookstest"
)

// What each payload of each version of the client means.
func TestClaudeGolden(t *testing.T) {
	t.Parallel()
	hookstest.Goldens(t, samples(t, ""), func(body []byte) hooks.Report { return read(t, body) })
}

func TestClaudeUsageGolden(t *testing.T) {
	t.Parallel()
	hookstest.Goldens(t, samples(t, "statusline"), func(body []byte) hooks.Report {
		return dialect(t).Usage(bytes.NewReader(body), env())
	})
}
