package agents_test

import (
	"testing"

	"journal/journal/agents"
)

// TestByMachine: what clients, schedulers and other sessions write in the person's place, and words of a person that look alike.
func TestByMachine(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]bool{
		"<tick>09:30</tick>":                                                  true,
		"<<autonomous-loop-dynamic>>":                                         true,
		`<mcp-resource-update server="x" uri="file:///a"/>`:                   true,
		"<github-webhook-activity>{}</github-webhook-activity>":               true,
		"[SUGGESTION MODE: Suggest what the user might type next.]":           true,
		"This session is being continued from a previous conversation that …": true,
		"3 background agents were stopped by the user: x":                     true,
		"\n<fork-boilerplate>\nSTOP.":                                         true,
		"tick the first box":                                                  false,
		"<b>tick</b> the box":                                                 false,
		"This session is about continuing":                                    false,
		"Why is <tick> shown?":                                                false,
	} {
		if got := agents.ByMachine(prompt); got != want {
			t.Errorf("ByMachine(%q) = %v", prompt, got)
		}
	}
}

// TestWordsOfAQuery: the text behind the person's words is kept beside them.
func TestWordsOfAQuery(t *testing.T) {
	t.Parallel()
	if words, around := agents.Words("<user_query>\nfix the door\n</user_query>\n<rule>be brief</rule>"); words != "fix the door" || around != "<rule>be brief</rule>" {
		t.Errorf("words %q, around %q", words, around)
	}
}
