package replay_test

import (
	"strings"
	"testing"

	"journal/events"
	"journal/events/text"
	"journal/projections"
	"journal/replay"
)

// TestTitle: a session's title is the person's first request, on one line; if the request only announces a document,
// the document's heading.
func TestTitle(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		prompts []events.PromptSubmitted
		lane    string
		want    string
	}{
		"nothing asked":     {},
		"by a machine":      {prompts: []events.PromptSubmitted{{Text: "a task ended", Machine: true}, {Text: " "}, {Text: "go on"}}, want: "go on"},
		"by a subagent":     {prompts: []events.PromptSubmitted{{Text: "look around"}}, lane: "a1"},
		"the first":         {prompts: []events.PromptSubmitted{{Text: "build\n  it"}, {Text: "later"}}, want: "build it"},
		"a plan":            {prompts: []events.PromptSubmitted{{Text: "Implement the following plan:\n\n# Plan: one door\n\n## Why\n"}}, want: "Plan: one door"},
		"a plan of Codex":   {prompts: []events.PromptSubmitted{{Text: "A previous agent produced the plan below to accomplish the user's task. Implement the plan in a fresh context.\n\n# One door\n"}}, want: "One door"},
		"a list":            {prompts: []events.PromptSubmitted{{Text: "what I want is:\n- one\n- two"}}, want: "what I want is: - one - two"},
		"a heading itself":  {prompts: []events.PromptSubmitted{{Text: "# Task\nbuild"}}, want: "# Task build"},
		"whole characters":  {prompts: []events.PromptSubmitted{{Text: strings.Repeat("속도 제한기 ", 50)}}, want: text.CutUnits(strings.Repeat("속도 제한기 ", 50), 160)},
		"announced nothing": {prompts: []events.PromptSubmitted{{Text: "fix this:"}}, want: "fix this:"},
	} {
		var log replay.Slice
		for i, p := range c.prompts {
			e, err := events.Wrap(p, events.Meta{Seq: uint64(i + 1), Project: "p", Session: "s", Lane: c.lane})
			if err != nil {
				t.Fatal(err)
			}
			log = append(log, e)
		}
		got, err := replay.Title(t.Context(), log, projections.Target{Project: "p", Session: "s"})
		if err != nil || got != c.want {
			t.Errorf("%s: %q, error %v, want %q", name, got, err, c.want)
		}
	}
}
