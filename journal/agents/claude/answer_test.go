package claude_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"journal/events"
	"journal/journal/wire"
)

func TestClaudeAnswer(t *testing.T) {
	t.Parallel()
	start := events.Hook{Native: "SessionStart", Kind: events.ContextRestart}
	intent := events.Hook{Native: "PreCompact", Kind: events.CompactIntent}
	stop := events.Hook{Native: "Stop", Kind: events.TurnEnd}
	tests := []struct {
		name     string
		hook     events.Hook
		to, text string
		want     string
	}{
		{"plain", start, wire.ToModel, "go on", `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"go on"}}` + "\n"},
		{
			"marks of all kinds", start, wire.ToModel, "a<b>&\"c\"\\\n\t\u2028é🙂",
			`{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"a<b>&\"c\"\\\n\t\u2028é🙂"}}` + "\n",
		},
		{
			"after a prompt", events.Hook{Native: "UserPromptSubmit", Kind: events.PromptSubmit}, wire.ToModel, "x",
			`{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"x"}}` + "\n",
		},
		{"no UTF-8", start, wire.ToModel, "a\xffb", `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"a\ufffdb"}}` + "\n"},
		{"to the person", stop, wire.ToPerson, "notes wait", `{"systemMessage":"notes wait"}` + "\n"},
		{"to the summariser", intent, wire.ToSummariser, "keep the plan", "keep the plan"},

		{"nothing", start, wire.ToModel, "", ""},
		{"nothing to the person", stop, wire.ToPerson, "", ""},
		{"nothing to the summariser", intent, wire.ToSummariser, "", ""},
		{"to nobody", start, "", "x", ""},
		{"to somebody new", start, "auditor", "x", ""},
		{"to a summariser that is not there", start, wire.ToSummariser, "x", ""},
		{
			"to the model where the turn goes on", stop, wire.ToModel, "x",
			`{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"x"}}` + "\n",
		},
		{"to the model before a compaction", intent, wire.ToModel, "x", ""},
		{"to the person before a compaction", intent, wire.ToPerson, "x", ""},
		{"after a compaction", events.Hook{Native: "PostCompact", Kind: events.CompactEnd}, wire.ToModel, "x", ""},
		{"at the end", events.Hook{Native: "SessionEnd", Kind: events.SessionEnd}, wire.ToModel, "x", ""},
		{"at an unnamed hook", events.Hook{Kind: events.Other}, wire.ToModel, "x", ""},
		{"at a hook that takes none", events.Hook{Native: "TaskCreated", Kind: events.TaskChange}, wire.ToModel, "x", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := string(dialect(t).Answer(test.hook, test.to, test.text)); got != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

// TestClaudeAnswerSurvives: any text survives the client's parsing, on one line and with nothing beside it.
func TestClaudeAnswerSurvives(t *testing.T) {
	t.Parallel()
	h := events.Hook{Native: "SessionStart", Kind: events.ContextRestart}
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.StringN(1, -1, 400).Draw(rt, "text")
		answer := dialect(t).Answer(h, wire.ToModel, text)
		if bytes.Count(answer, []byte("\n")) != 1 || !bytes.HasSuffix(answer, []byte("\n")) || bytes.ContainsAny(answer, "\u2028\u2029") {
			rt.Fatalf("more than one line: %q", answer)
		}
		var doc map[string]map[string]string
		if err := json.Unmarshal(answer, &doc); err != nil {
			rt.Fatal(err)
		}
		output := doc["hookSpecificOutput"]
		if len(doc) != 1 || len(output) != 2 || output["hookEventName"] != "SessionStart" {
			rt.Fatalf("got %v", doc)
		}
		if got := output["additionalContext"]; got != text {
			rt.Fatalf("got %q, want %q", got, text)
		}
	})
}
