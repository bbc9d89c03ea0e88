package claude_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"journal/cmd/testkit/agentstest"
	"journal/events"
)

// TestClaudeSecrets: a secret is redacted anywhere in a payload: in any text, within any text, as a member's name, in
// an unknown member.
func TestClaudeSecrets(t *testing.T) {
	t.Parallel()
	// In two parts, so that no scanner of repositories reports a leak.
	token := "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	for _, name := range []string{
		"captured/PostToolUse.Bash", "captured/PostToolUseFailure.Bash",
		"captured/UserPromptSubmit", "captured/Stop", "captured/PostCompact.auto",
		"captured/PostToolUse.TodoWrite", "captured/PostToolUse.Write", "captured/SessionStart.startup",
		"captured/PostToolUse.mcp__demo__echo", "captured/PermissionRequest.Write",
		"captured/PostToolUse.TaskCreate", "captured/TaskCreated",
	} {
		whole := parse(t, named(t, name))
		places := 0
		check := func(at string, doc any) {
			places++
			body := encode(t, doc)
			if !bytes.Contains(body, []byte(token)) {
				t.Fatalf("%s: no token at %s", name, at)
			}
			broken := bytes.TrimSuffix(body, []byte("}"))
			for _, body := range [][]byte{body, broken} {
				rep := read(t, body)
				texts := fmt.Sprintf("%+v %+v %s", rep, events.Recognise(rep.Hook), rep.Hook.Rest)
				if rep.Hook.Tool != nil {
					texts += fmt.Sprintf("%+v", *rep.Hook.Tool)
				}
				if strings.Contains(texts, token) || bytes.Contains(bytes.Join(agentstest.Stored(t, rep), nil), []byte(token)) {
					t.Errorf("%s: the token at %s is kept", name, at)
				}
			}
		}
		everyPlace(whole, "", func(doc func(any) any, at string) {
			check(at, doc(token))
			check(at+" within", doc("export TOKEN="+token+"\n/home/"+token+"/x"))
			check(at+" as a name", doc(map[string]any{token: 1}))
		})
		if places < 12 {
			t.Errorf("%s: %d places", name, places)
		}
	}
	// What is no secret stays.
	rep := read(t, payloadWith(t, "PostToolUse", map[string]any{
		"tool_name": "Bash", "tool_input": map[string]any{"command": "echo " + token + " | wc -c"},
		"tool_response": map[string]any{"stdout": "41"},
	}))
	e := agentstest.Recognised[events.CommandRan](t, rep)
	if !strings.HasPrefix(e.Command, "echo [redacted:") || !strings.HasSuffix(e.Command, "] | wc -c") || e.Output != "41" {
		t.Errorf("got %+v", e)
	}
}
