package claude_test

import (
	"bytes"
	"testing"

	"journal/cmd/testkit/agentstest"
	"journal/journal/agents"
)

// TestClaudeGolden: the meaning of each payload of each version of the client.
func TestClaudeGolden(t *testing.T) {
	t.Parallel()
	agentstest.Goldens(t, samples(t, ""), func(body []byte) agents.Report { return read(t, body) })
}

func TestClaudeUsageGolden(t *testing.T) {
	t.Parallel()
	agentstest.Goldens(t, samples(t, "statusline"), func(body []byte) agents.Report {
		return dialect(t).Usage(bytes.NewReader(body), env())
	})
}
