package agents_test

import (
	"testing"

	"journal/journal/agents"
)

func TestJoin(t *testing.T) {
	t.Parallel()
	context, person := agents.Answer("SessionStart", "context", ""), agents.Answer("SessionStart", "", "person")
	for _, c := range []struct{ name, a, b, want string }{
		{"both", string(context), string(person), `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"context"},"systemMessage":"person"}` + "\n"},
		{"only the first", string(context), "", string(context)},
		{"only the second", "", string(person), string(person)},
		{"a text that is no object", "plain", string(person), "plain"},
		{"neither", "", "", ""},
	} {
		if got := string(agents.Join([]byte(c.a), []byte(c.b))); got != c.want {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}
