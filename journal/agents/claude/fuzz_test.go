package claude_test

import (
	"bytes"
	"encoding/json"
	"testing"
)

// Whatever the client sends, reading ends, means something, and can be appended.
func FuzzClaude(f *testing.F) {
	for _, s := range append(samples(f, ""), samples(f, "statusline")...) {
		f.Add(s.body)
	}
	for _, body := range []string{"", "{", "null", `[{"tool_name":"Bash"}]`, `{"hook_event_name":"PostToolUse","tool_input":[]}`} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		rep := read(t, body)
		if len(stored(t, rep)) == 0 {
			t.Error("no event")
		}
		if rep.Hook.Rest != nil && !json.Valid(rep.Hook.Rest) {
			t.Errorf("rest is no JSON: %q", rep.Hook.Rest)
		}
		if len(rep.Key) < 2 {
			t.Errorf("key %q", rep.Key)
		}
		if rep.Hook.Broken != "" && rep.Owed != "" {
			t.Errorf("a broken hook is owed %q", rep.Owed)
		}
		if again := read(t, body); again.Key != rep.Key || !bytes.Equal(again.Hook.Rest, rep.Hook.Rest) {
			t.Error("reads twice as two")
		}
		usage := dialect(t).Usage(bytes.NewReader(body), env())
		if u := usage.Hook.Usage; u != nil && (u.Percent < 0 || u.Percent > 100) {
			t.Errorf("%d percent", u.Percent)
		}
	})
}
