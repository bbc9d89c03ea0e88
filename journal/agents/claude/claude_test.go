package claude_test

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	"journal/cmd/testkit/agentstest"
	"journal/events"
	"journal/journal/agents"
	"journal/journal/wire"
)

func TestNamed(t *testing.T) {
	t.Parallel()
	if !slices.Contains(agents.Agents(), "claude") || !slices.IsSorted(agents.Agents()) {
		t.Errorf("agents are %v", agents.Agents())
	}
	if _, err := agents.Named("hal"); err == nil || !strings.Contains(err.Error(), "claude") {
		t.Errorf("error %v does not name the known ones", err)
	}
}

// TestClaudeOwed: what an agent is owed, and how long it may wait for it (ADR-0019 rule 5, ADR-0018).
func TestClaudeOwed(t *testing.T) {
	t.Parallel()
	type m = map[string]any
	tests := []struct {
		name    string
		event   string
		members m
		owed    string
		wait    time.Duration
		quick   bool
	}{
		{"compact", "SessionStart", m{"source": "compact"}, wire.RecoveryText, 3 * time.Second, false},
		{"compact of a subagent", "SessionStart", m{"source": "compact", "agent_id": "a1"}, wire.RecoveryText, 3 * time.Second, false},
		{"resume of an old client", "SessionStart", m{"source": "resume"}, wire.RecoveryText, 3 * time.Second, false},
		{"resume", "SessionStart", m{"source": "resume", "seconds_since_last_response": 7}, wire.StartText, 3 * time.Second, false},
		{"resume at once", "SessionStart", m{"source": "resume", "seconds_since_last_response": 0}, wire.StartText, 3 * time.Second, false},
		{"startup", "SessionStart", m{"source": "startup"}, wire.StartText, 3 * time.Second, false},
		{"clear", "SessionStart", m{"source": "clear"}, wire.StartText, 3 * time.Second, false},
		{"fork", "SessionStart", m{"source": "fork"}, wire.StartText, 3 * time.Second, false},
		{"prompt", "UserPromptSubmit", m{"prompt": "go on"}, wire.DueText, 150 * time.Millisecond, false},
		{"prompt of the machine", "UserPromptSubmit", m{"prompt": "go on", "source": "system"}, "", 0, false},
		{"intent to compact", "PreCompact", m{"trigger": "auto"}, wire.Guidance, 500 * time.Millisecond, false},
		{"compaction", "PostCompact", m{"trigger": "auto", "compact_summary": "s"}, "", 0, false},
		{"answer", "Stop", m{}, wire.StopAdvice, 150 * time.Millisecond, false},
		{"answer in a lane", "Stop", m{"agent_id": "a1"}, "", 0, false},
		{"failed answer", "StopFailure", m{"error": "overloaded"}, "", 0, true},
		{"end", "SessionEnd", m{"reason": "other"}, "", 0, true},
		{"tool", "PostToolUse", m{"tool_name": "Bash"}, wire.UrgentNotice, 0, false},
		{"tool of a subagent", "PostToolUse", m{"tool_name": "Bash", "agent_id": "a1"}, "", 0, false},
		{"another", "Notification", m{"message": "hello"}, "", 0, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			rep := read(t, payloadWith(t, test.event, test.members))
			if rep.AnswerKind != test.owed || rep.Wait != test.wait || rep.Quick != test.quick {
				t.Errorf("owed %q, wait %v, quick %v; want %q, %v, %v",
					rep.AnswerKind, rep.Wait, rep.Quick, test.owed, test.wait, test.quick)
			}
		})
	}
}

// TestClaudeMachinePrompts: prompts that nobody typed (docs/CLIENTS.md §3, §4).
func TestClaudeMachinePrompts(t *testing.T) {
	t.Parallel()
	const notice = "<task-notification>\n<task-id>b1</task-id>\n<status>completed</status>\n</task-notification>"
	tests := []struct {
		name, prompt, source string
		machine              bool
		text                 string // if it is not the prompt
	}{
		{"typed", "fix the lock", "", false, ""},
		{"typed, said so", "fix the lock", "user", false, ""},
		{"of an SDK program", "fix the lock", "sdk", false, ""},
		{"notice", notice, "", true, ""},
		{"notice after a line", "\n  " + notice, "", true, ""},
		{"notice in JSON", `{"task_id":"b1","tool_use_id":"toolu_1","description":"Run the tests","task_type":"local_bash"}`, "", true, ""},
		{"about JSON", `what is {"task_id":"b1"}?`, "", false, ""},
		{"about notices", "why does <task-notification> come twice?", "", false, ""},
		{"quotes a notice", "this came:\n" + notice, "", false, ""},
		{"of the system", "continue", "system", true, ""},
		{"wake-up of a loop", "continue", "loop_wakeup", true, ""},
		{"wake-up of a schedule", "continue", "schedule_wakeup", true, ""},
		{"polled", "continue", "poll_event", true, ""},
		{"output of the client's own command", "<local-command-stdout>ok</local-command-stdout>", "", true, ""},
		{"interruption", "[Request interrupted by user for tool use]", "", true, ""},
		{"slash command", "/review --last", "", false, ""},
		{"slash command in the client's words", "<command-message>compound is running</command-message>\n<command-name>/compound</command-name>\n<command-args>now \n</command-args>", "", false, "/compound now"},
		{"local command", "<command-name>/model</command-name>\n  <command-message>model</command-message>\n  <command-args></command-args>", "", false, "/model"},
		{"unknown command", "Unknown command: /plan-files", "", true, ""},
		{"unknown command with a proposal", "Unknown command: /modle. Did you mean /model?", "", true, ""},
		{"unknown command of old clients", "Unknown slash command: plan-files", "", true, ""},
		{"about an unknown command", "Unknown command: /plan-files came, why?", "", false, ""},
		{"skill that the model called", "<command-message>pdf</command-message>\n<command-name>pdf</command-name>", "", true, ""},
		{"agent", "<agent-notification>\n<agent-id>a1</agent-id>\n<status>completed</status></agent-notification>", "", true, ""},
		{"shell command of the person", "<bash-input>ls</bash-input>", "", true, ""},
		{"open file before it", "<ide_opened_file>The user opened a.go</ide_opened_file>\nfix the lock", "", false, "fix the lock"},
		{"nothing but a reminder", "<system-reminder>be brief</system-reminder>", "", true, ""},
		{"markup of the person", "<my-button> does not show", "", false, ""},
		{"colours", "\x1b[31mfix\x1b[0m the\x00 lock\r\n", "", false, "fix the lock\n"},
		{"empty", "", "", false, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			members := map[string]any{"prompt": test.prompt}
			if test.source != "" {
				members["source"] = test.source
			}
			h := read(t, payloadWith(t, "UserPromptSubmit", members)).Hook
			want := events.PromptSubmitted{Text: cmp.Or(test.text, test.prompt), Machine: test.machine}
			if all := events.Recognise(h); all[len(all)-1] != want {
				t.Errorf("got %+v, want %+v", all, want)
			}
		})
	}
}

// TestClaudeSubagents: the summariser of a compaction and the warm-up of old clients are no subagents; the rest says
// which of the two it was.
func TestClaudeSubagents(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"captured/SubagentStop.compaction":       `"agent_type":""`,
		"typed/SubagentStop.internal-summariser": `"agent_type":""`,
		"2.1.0/SubagentStop":                     `"agent_transcript_path":`,
	} {
		rep := read(t, named(t, name))
		if strings.HasPrefix(name, "2") {
			agentstest.Recognised[events.HookReceived](t, rep)
		} else {
			agentstest.Recognised[events.SummaryDrafted](t, rep)
		}
		if !bytes.Contains(rep.Hook.Rest, []byte(text)) {
			t.Errorf("%s: no %s in %s", name, text, rep.Hook.Rest)
		}
	}
	rep := read(t, named(t, "captured/SubagentStop.Explore"))
	if e := agentstest.Recognised[events.SubagentEnded](t, rep); e.AgentType != "Explore" || e.Text != "sub report" {
		t.Errorf("got %+v", e)
	}
	for _, s := range samples(t, "") {
		doc := parse(t, s.Body).(map[string]any)
		id, _ := doc["agent_id"].(string)
		if lane := read(t, s.Body).Hook.Lane; lane != id {
			t.Errorf("%s: lane %q, want %q", s.Name, lane, id)
		}
	}
}

// TestClaudeEventOfTheCommandLine: a payload without the hook's name gets that of the command line; a name in the
// payload wins.
func TestClaudeEventOfTheCommandLine(t *testing.T) {
	t.Parallel()
	with := env()
	with.Event = "Stop"
	d := dialect(t)
	if h := d.Read(strings.NewReader(`{"session_id":"s"}`), with).Hook; h.Native != "Stop" || h.Kind != events.TurnEnd {
		t.Errorf("unnamed: %q %q", h.Native, h.Kind)
	}
	if h := d.Read(strings.NewReader(`{"hook_event_name":"SessionEnd"}`), with).Hook; h.Kind != events.SessionEnd {
		t.Errorf("named: %q", h.Kind)
	}
}

func TestClaudeSurroundings(t *testing.T) {
	t.Parallel()
	rep := dialect(t).Read(bytes.NewReader(payloadWith(t, "Stop", nil)), env("CLAUDE_PID", "4711"))
	h := rep.Hook
	if h.Agent != "claude" || h.PID != 4711 || h.At != env().Now.UnixNano() || h.Session != "s-1" || h.Transcript != "/t/s-1.jsonl" {
		t.Errorf("got %+v", h)
	}
	if h := dialect(t).Read(bytes.NewReader(payloadWith(t, "Stop", nil)), env("CLAUDE_PID", "many")).Hook; h.PID != 0 {
		t.Errorf("pid %d of no number", h.PID)
	}
}

// TestClaudeExitCode: the exit code in the text of a failed command.
func TestClaudeExitCode(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"Exit code 3\nnope":              3,
		"Exit code 137":                  137,
		"Exit code \nnope":               0,
		"Permission denied":              0,
		"it said: Exit code 3\n":         0,
		"Exit code 99999999999999999999": 0,
	} {
		rep := read(t, payloadWith(t, "PostToolUseFailure", map[string]any{
			"tool_name": "Bash", "tool_input": map[string]any{"command": "x"}, "error": text,
		}))
		if e := agentstest.Recognised[events.CommandRan](t, rep); e.Exit != want || !e.Failed || e.Error != text {
			t.Errorf("%q: %+v, want exit %d", text, e, want)
		}
	}
}

// TestClaudeWithoutMembers: old and future clients omit members: whichever is missing, there is at least one event and
// no panic.
func TestClaudeWithoutMembers(t *testing.T) {
	t.Parallel()
	for _, s := range samples(t, "") {
		doc := parse(t, s.Body).(map[string]any)
		for name := range doc {
			less := map[string]any{}
			for k, v := range doc {
				if k != name {
					less[k] = v
				}
			}
			agentstest.Stored(t, read(t, encode(t, less)))
		}
	}
}

// TestClaudeNoObject: payloads that are no object are kept as received, and marked as broken.
func TestClaudeNoObject(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`[1,"two"]`, `"text"`, `17`, `null`} {
		rep := read(t, []byte(body))
		if rep.Hook.Broken == "" || string(rep.Hook.Rest) != body {
			t.Errorf("%s: broken %q, rest %s", body, rep.Hook.Broken, rep.Hook.Rest)
		}
		agentstest.Recognised[events.HookReceived](t, rep)
	}
	for _, body := range []string{"", " \n", "{", "{}"} {
		if rep := read(t, []byte(body)); rep.Hook.Rest != nil || rep.Hook.Session != "" || rep.AnswerKind != "" {
			t.Errorf("%q: %+v", body, rep)
		}
	}
}
