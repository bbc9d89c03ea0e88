package cursor_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"journal/cmd/testkit/agentstest"
	"journal/events"
	"journal/journal/agents"
	_ "journal/journal/agents/all"
	"journal/journal/agents/cursor"
)

var read = agentstest.Reader(cursor.Dialect)

// TestCursorGolden: the meaning of each payload.
func TestCursorGolden(t *testing.T) {
	t.Parallel()
	agentstest.Goldens(t, agentstest.Samples(t, "*/*.json"), read)
}

// TestClaimed: a payload that came through another agent's hook is recorded under this agent's name, with the same
// events, and gets no answer.
func TestClaimed(t *testing.T) {
	t.Parallel()
	for _, agent := range agents.Agents() {
		d, err := agents.Named(agent)
		if err != nil || agent == cursor.Name {
			continue
		}
		for _, s := range agentstest.Samples(t, "*/*.json") {
			if agent == "opencode" { // no other program calls its plugin
				continue
			}
			want := read(s.Body)
			got := d.Read(bytes.NewReader(s.Body), agentstest.Env())
			if got.Hook.Agent != cursor.Name || got.Key != want.Key || got.AnswerKind != "" || !bytes.Equal(got.Hook.Rest, want.Hook.Rest) {
				t.Errorf("%s through the hook of %s: %+v", s.Name, agent, got)
			}
			if got, want := fmt.Sprintf("%+v", events.Recognise(got.Hook)), fmt.Sprintf("%+v", events.Recognise(want.Hook)); got != want {
				t.Errorf("%s through the hook of %s means %s, want %s", s.Name, agent, got, want)
			}
		}
	}
}

// TestSecretInOutput: a command's output is JSON within a text: a secret at the beginning of a line is recognised only
// in the decoded text.
func TestSecretInOutput(t *testing.T) {
	t.Parallel()
	const secret = "gh" + "p_0123456789abcdefghijABCDEFGHIJ012345"
	e := agentstest.Recognised[events.CommandRan](t, read([]byte(`{"cursor_version":"1","conversation_id":"c",
		"hook_event_name":"postToolUse","tool_name":"Shell","tool_input":{"command":"env"},
		"tool_output":"{\"exitCode\":0,\"stdout\":\"here\\n`+secret+`\\n\",\"stderr\":\"\"}"}`)))
	if !strings.HasPrefix(e.Output, "here\n[redacted:") || strings.Contains(e.Output, secret) {
		t.Errorf("output %q", e.Output)
	}
}

func FuzzCursor(f *testing.F) {
	for _, s := range agentstest.Samples(f, "*/*.json") {
		f.Add(s.Body)
	}
	f.Fuzz(func(t *testing.T, body []byte) { agentstest.Sound(t, read, body) })
}
