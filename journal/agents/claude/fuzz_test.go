package claude_test

import (
	"bytes"
	"testing"

	"journal/cmd/testkit/agentstest"
	"journal/journal/agents"
)

// FuzzClaude: reading any input of the client ends, gives events, and these can be appended.
func FuzzClaude(f *testing.F) {
	for _, s := range append(samples(f, ""), samples(f, "statusline")...) {
		f.Add(s.Body)
	}
	for _, body := range []string{"", "{", "null", `[{"tool_name":"Bash"}]`, `{"hook_event_name":"PostToolUse","tool_input":[]}`} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		agentstest.Sound(t, func(body []byte) agents.Report { return read(t, body) }, body)
		usage := dialect(t).Usage(bytes.NewReader(body), env())
		if u := usage.Hook.Usage; u != nil && (u.Percent < 0 || u.Percent > 100) {
			t.Errorf("%d percent", u.Percent)
		}
	})
}
