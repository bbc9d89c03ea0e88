package pi_test

import (
	"testing"

	"journal/cmd/testkit/agentstest"
	"journal/events"
	"journal/journal/agents/pi"
	"journal/journal/wire"
)

var read = agentstest.Reader(pi.Dialect)

func samples(t testing.TB) []agentstest.Sample { return agentstest.Samples(t, "captured/*.json") }

// of returns a payload of one event with more members.
func of(t *testing.T, event string, members map[string]any) []byte {
	t.Helper()
	return agentstest.Payload(t, map[string]any{"session": "s-1", "hook": event, "directory": "/home/dev/lighthouse"}, members)
}

// TestPiGolden: the meaning of each call of the extension.
func TestPiGolden(t *testing.T) {
	t.Parallel()
	agentstest.Goldens(t, samples(t), read)
}

// TestEnds: how commands and runs end.
func TestEnds(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]events.ToolCall{
		"one\n\n\nCommand exited with code 3":                                 {Failed: true, Exit: 3, Error: "one"},
		"(no output)\n\n\nCommand exited with code 1":                         {Failed: true, Exit: 1},
		"make: a\nCommand exited with code 2\n\n\nCommand exited with code 3": {Failed: true, Exit: 3, Error: "make: a\nCommand exited with code 2"},
		"Command exited with code 1, says the manual":                         {Failed: true, Error: "Command exited with code 1, says the manual"},
		"one\n\nCommand timed out after 5 seconds":                            {Failed: true, Error: "one\n\nCommand timed out after 5 seconds"},
		"(no output)": {},
		"--- FAIL: TestDoor (0.00s)\nFAIL\tdoor\t0.012s": {Output: "--- FAIL: TestDoor (0.00s)\nFAIL\tdoor\t0.012s", Mark: "--- FAIL: TestDoor (0.00s)"},
	} {
		got := read(of(t, "tool_result", map[string]any{"tool": "bash", "args": map[string]any{"command": "go test ./... | tail"}, "output": text, "failed": want.Failed})).Hook.Tool
		if got.Exit != want.Exit || got.Error != want.Error || got.Output != want.Output || got.Mark != want.Mark || got.Failed != want.Failed {
			t.Errorf("%q: %+v", text, got)
		}
	}
	for kind, members := range map[events.HookKind]map[string]any{
		events.TurnEnd: {"said": "x"}, events.TurnInterrupt: {"said": "x", "aborted": true, "error": "aborted"}, events.TurnFail: {"error": "503"},
	} {
		if h := read(of(t, "agent_settled", members)).Hook; h.Kind != kind {
			t.Errorf("%v: %s, want %s", members, h.Kind, kind)
		}
	}
}

// TestHeadless: a program uses pi in the modes that print, and perhaps a person in the others.
func TestHeadless(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]bool{"print": true, "json": true, "tui": false, "rpc": false} {
		if h := read(of(t, "session_start", map[string]any{"mode": mode})).Hook; h.Headless != want {
			t.Errorf("%s: headless %v, want %v", mode, h.Headless, want)
		}
	}
}

// TestOwed: a session keeps what it was given, also when it is resumed or forked.
func TestOwed(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{"startup": wire.StartText, "new": wire.StartText, "resume": "", "fork": ""} {
		if rep := read(of(t, "session_start", map[string]any{"source": source})); rep.AnswerKind != want {
			t.Errorf("a start by %s is owed %q, want %q", source, rep.AnswerKind, want)
		}
	}
	for native, want := range map[string]string{"compacted": wire.RecoveryText, "session_compact": "", "input": wire.DueText, "agent_settled": wire.StopAdvice} {
		if rep := read(of(t, native, map[string]any{"text": "x"})); rep.AnswerKind != want {
			t.Errorf("%s is owed %q, want %q", native, rep.AnswerKind, want)
		}
	}
	if h := read(of(t, "input", map[string]any{"text": "go on", "machine": true})).Hook; !h.Machine {
		t.Error("an extension's words are a person's")
	}
	if h := read(of(t, "input", map[string]any{"text": "<skill name=\"door\" location=\"/s\">\nHow to.\n</skill>\n\nthe hinge"})).Hook; h.Text != "/skill:door the hinge" {
		t.Errorf("of a skill the person typed %q", h.Text)
	}
}

func FuzzPi(f *testing.F) {
	for _, s := range samples(f) {
		f.Add(s.Body)
	}
	f.Add([]byte(`{"hook":"tool_result","tool":"bash","args":[],"details":[]}`))
	f.Fuzz(func(t *testing.T, body []byte) { agentstest.Sound(t, read, body) })
}

// TestLinesOfARead: a read without a limit goes on for as many lines as the client allows, which are not known here.
func TestLinesOfARead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ offset, limit, from, to int }{{40, 10, 40, 49}, {40, 0, 0, 0}, {0, 10, 1, 10}, {0, 0, 0, 0}} {
		args := map[string]any{"path": "/a"}
		for name, n := range map[string]int{"offset": c.offset, "limit": c.limit} {
			if n > 0 {
				args[name] = n
			}
		}
		if got := read(of(t, "tool_result", map[string]any{"tool": "read", "args": args})).Hook.Tool; got.From != c.from || got.To != c.to {
			t.Errorf("%v: lines %d-%d", args, got.From, got.To)
		}
	}
}
