package codex

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"journal/cmd/testkit/agentstest"
	"journal/events"
	"journal/journal/agents/transcript"
)

// rollouts are from the real client 0.169.0 with a scripted model: two compactions over four processes, tools of all
// kinds, refused calls and interrupted turns, a compacted subagent, and a fork. codemode is written after rollouts of 0.171.
var rollouts = []string{"older", "compacted", "tools", "refused", "subagent", "fork", "codemode", "ends"}

func rollout(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "transcripts", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func steps(t testing.TB, r *transcript.Reader) (all []transcript.Step) {
	t.Helper()
	for {
		s, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
}

func imported(t testing.TB, b []byte) []transcript.Step {
	t.Helper()
	return steps(t, transcript.NewReader(bytes.NewReader(b), rowLimits, newReader("/home/dev/.codex/sessions/rollout.jsonl"), nil))
}

func watched(b []byte) (all []transcript.Step) {
	w := watch("")
	for row := range bytes.Lines(b) {
		all = append(all, w.Parse(bytes.TrimSpace(row))...)
	}
	return all
}

func shown(all []transcript.Step) string {
	var b strings.Builder
	for _, s := range all {
		_, row, _ := strings.Cut(s.Row, " ")
		for _, e := range events.Recognise(s.Report.Hook) {
			fmt.Fprintf(&b, "%s %s", row, s.What)
			if s.Report.Hook.Lane != "" {
				fmt.Fprintf(&b, " in %s", s.Report.Hook.Lane)
			}
			fmt.Fprintf(&b, ": %T %+v\n", e, e)
		}
	}
	return b.String()
}

// TestGolden: what rollouts give when imported, and when watched.
func TestGolden(t *testing.T) {
	t.Parallel()
	for _, name := range rollouts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := rollout(t, name)
			got := shown(imported(t, b)) + "-- watched --\n" + shown(watched(b))
			agentstest.Golden(t, "transcripts/"+name+".golden", got)
		})
	}
}

// TestIDs: ids are those of the rows, one per step; a watcher gives a step of the import the same id, and nothing that
// hooks report.
func TestIDs(t *testing.T) {
	t.Parallel()
	for _, name := range rollouts {
		b := rollout(t, name)
		all := map[string]bool{}
		for _, s := range imported(t, b) {
			for _, id := range s.IDs(len(events.Recognise(s.Report.Hook))) {
				if all[id] {
					t.Errorf("%s: %s %s has the id of another", name, s.Row, s.What)
				}
				all[id] = true
			}
			if s.Late != nil {
				all[s.Late.IDs(1)[0]] = true
			}
		}
		for _, s := range watched(b) {
			if !all[s.IDs(1)[0]] {
				t.Errorf("%s: %s %s is no step of an import", name, s.Row, s.What)
			}
		}
	}
}

// TestBrokenRows: a broken row is reported, and loses only itself; a rewritten file gives nothing new.
func TestBrokenRows(t *testing.T) {
	t.Parallel()
	b := rollout(t, "compacted")
	rows := bytes.SplitAfter(b, []byte("\n"))
	broken := slices.Concat(bytes.Join(rows[:8], nil), []byte(`{"timestamp":"2026-11-22T0`+"\n[1]\n"), bytes.Join(rows[8:], nil))
	r := transcript.NewReader(bytes.NewReader(broken), rowLimits, newReader(""), nil)
	all := steps(t, r)
	if n := r.Summary().Broken; n != 2 || len(all) != len(imported(t, b))+2 {
		t.Errorf("%d broken rows, %d steps", n, len(all))
	}
	at := slices.IndexFunc(all, func(s transcript.Step) bool { return s.Report.Hook.Broken != "" })
	if at < 0 || !strings.HasPrefix(all[at].What, "broken ") {
		t.Errorf("no step says so: %d", at)
	}
}

func TestSkim(t *testing.T) {
	t.Parallel()
	for name, fork := range map[string]bool{"compacted": false, "subagent": false, "fork": true} {
		head, err := skim("", bytes.NewReader(rollout(t, name)))
		if err != nil || head.Began.IsZero() || head.Fork != fork {
			t.Errorf("%s: %+v, %v", name, head, err)
		}
	}
	for _, other := range []string{"", "{}", `{"type":"session_meta","timestamp":"2026-11-22T00:00:00Z","payload":{}}`, `{"type":"user","sessionId":"s","timestamp":"2026-11-22T00:00:00Z"}`} {
		if head, err := skim("", strings.NewReader(other)); err == nil {
			t.Errorf("%q is %+v", other, head)
		}
	}
}

// TestParent: a fork names its origin.
func TestParent(t *testing.T) {
	t.Parallel()
	of, _, err := parent(filepath.Join("testdata", "transcripts", "fork.jsonl"), time.Time{})
	origin := transcript.NewReader(bytes.NewReader(rollout(t, "refused")), rowLimits, newReader(""), nil)
	steps(t, origin)
	if err != nil || of != origin.State().SessionID {
		t.Errorf("of %q, %v", of, err)
	}
	if of, _, err := parent(filepath.Join("testdata", "transcripts", "tools.jsonl"), time.Time{}); of != "" || err != nil {
		t.Errorf("of %q, %v", of, err)
	}
}

// TestContexts: what the context had after each compaction: the prompts that the client keeps, and the journal's text.
func TestContexts(t *testing.T) {
	t.Parallel()
	all, err := contexts(filepath.Join("testdata", "transcripts", "compacted.jsonl"), "")
	if err != nil || len(all) != 2 {
		t.Fatalf("%d contexts, %v", len(all), err)
	}
	for i, c := range all {
		if len(c.Prompts) != 2+i || c.Prompts[0] != "build the lighthouse of bricks, and keep the stairs outside" {
			t.Errorf("context %d kept %q", i, c.Prompts)
		}
		if len(c.Texts) == 0 || !strings.HasPrefix(c.Texts[0], "# Journal: what the compacted context may have lost\nCompaction "+fmt.Sprint(i+1)) {
			t.Errorf("context %d has %q", i, c.Texts)
		}
	}
	w := watch("")
	for row := range bytes.Lines(rollout(t, "compacted")) {
		w.Parse(bytes.TrimSpace(row))
	}
	if newest, told := w.Context(); newest.Boundary != all[1].Boundary || told == 0 {
		t.Errorf("newest %+v, told %d", newest, told)
	}
}

// TestSince: rows from before a time are another session's.
func TestSince(t *testing.T) {
	t.Parallel()
	w := watch("")
	w.Since(time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC))
	for row := range bytes.Lines(rollout(t, "refused")) {
		if s := w.Parse(bytes.TrimSpace(row)); len(s) > 0 {
			t.Fatalf("tells %s", shown(s))
		}
	}
}

// TestOlderRows: clients before 0.169 number no rows and name no kinds of text; a plan is a todo list, and a command's
// exit code is in JSON.
func TestOlderRows(t *testing.T) {
	t.Parallel()
	const rows = `{"timestamp":"2025-11-01T10:00:00Z","type":"session_meta","payload":{"id":"s-1","cwd":"/home/dev/p","cli_version":"0.50.0"}}
{"timestamp":"2025-11-01T10:00:01Z","type":"turn_context","payload":{"cwd":"/home/dev/p","model":"gpt-5"}}
{"timestamp":"2025-11-01T10:00:01Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>x</environment_context>"}]}}
{"timestamp":"2025-11-01T10:00:02Z","type":"event_msg","payload":{"type":"user_message","message":"paint it","kind":"plain"}}
{"timestamp":"2025-11-01T10:00:03Z","type":"response_item","payload":{"type":"function_call","name":"update_plan","arguments":"{\"plan\":[{\"step\":\"buy paint\",\"status\":\"in_progress\"},{\"step\":\"paint\"}]}","call_id":"c1"}}
{"timestamp":"2025-11-01T10:00:03Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"Plan updated"}}
{"timestamp":"2025-11-01T10:00:04Z","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"bash\",\"-lc\",\"make paint\"]}","call_id":"c2"}}
{"timestamp":"2025-11-01T10:00:05Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c2","output":"{\"output\":\"no paint\\n\",\"metadata\":{\"exit_code\":2,\"duration_seconds\":0.1}}"}}
{"timestamp":"2025-11-01T10:00:06Z","type":"compacted","payload":{"message":"We paint."}}
`
	got := shown(imported(t, []byte(rows)))
	for _, want := range []string{
		"events.SessionStarted {Source:startup", "events.PromptSubmitted {Text:paint it",
		"events.TodosWritten {Todos:[{Text:buy paint Status:in_progress} {Text:paint Status:pending}]}",
		"events.CommandRan {Command:make paint About: Cwd:/home/dev/p Failed:true Exit:2 Error:no paint",
		"events.CompactionCompleted {Trigger:auto Summary:We paint.}",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if strings.Contains(got, "environment_context") {
		t.Errorf("text of the client's own:\n%s", got)
	}
}

// TestCommandWords: of the words of a command, only those of a shell have the command line in their last one.
func TestCommandWords(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		`["bash","-lc","make paint"]`:                                  "make paint",
		`["/usr/bin/zsh","-c","make paint"]`:                           "make paint",
		`["C:\\Program Files\\Git\\bin\\bash.exe","-lc","make paint"]`: "make paint",
		`["grep","-c","paint"]`:                                        "grep -c paint",
		`["wc","-c","paint.txt"]`:                                      "wc -c paint.txt",
		`["python3","-c","paint()"]`:                                   "python3 -c paint()",
	} {
		const row = `{"ordinal":%d,"timestamp":"2026-11-01T10:00:00Z","type":%q,"payload":%s}` + "\n"
		rows := fmt.Sprintf(row, 0, "session_meta", `{"id":"s-1","cwd":"/home/dev/p"}`) +
			fmt.Sprintf(row, 1, "response_item", fmt.Sprintf(`{"type":"function_call","name":"shell","arguments":%q,"call_id":"c1"}`, `{"command":`+words+`}`)) +
			fmt.Sprintf(row, 2, "response_item", `{"type":"function_call_output","call_id":"c1","output":"Exit code: 0\nOutput:\n1"}`)
		if got := shown(imported(t, []byte(rows))); !strings.Contains(got, "events.CommandRan {Command:"+want+" About:") {
			t.Errorf("%s: no %s in\n%s", words, want, got)
		}
	}
}

// TestKilled: a command that ran when the client was killed is reported when the session continues, by an import and by
// a watcher; one that goes on in the background is not.
func TestKilled(t *testing.T) {
	t.Parallel()
	const rows = `{"ordinal":0,"timestamp":"2026-11-01T10:00:00Z","type":"session_meta","payload":{"id":"s-1","cwd":"/home/dev/p"}}
{"ordinal":1,"timestamp":"2026-11-01T10:00:01Z","type":"event_msg","payload":{"type":"task_started","turn_id":"t1"}}
{"ordinal":2,"timestamp":"2026-11-01T10:00:02Z","type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"make serve\"}","call_id":"c1"}}
{"ordinal":3,"timestamp":"2026-11-01T10:00:03Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"Process running with session ID 7\nOutput:\n"}}
{"ordinal":4,"timestamp":"2026-11-01T10:00:04Z","type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"make paint\"}","call_id":"c2"}}
`
	next := []byte(`{"ordinal":5,"timestamp":"2026-11-01T11:00:00Z","type":"event_msg","payload":{"type":"task_started","turn_id":"t2"}}`)
	w := watch("")
	for row := range strings.Lines(rows) {
		w.Parse([]byte(strings.TrimSpace(row)))
	}
	live, whole := w.Restarted(), imported(t, append([]byte(rows), next...))
	if again := w.Parse(next); len(live) != 1 || len(again) != 0 {
		t.Fatalf("told %s, and again %s", shown(live), shown(again))
	}
	last := whole[len(whole)-1]
	if got, want := shown(live), shown(whole[len(whole)-1:]); got != want || live[0].IDs(1)[0] != last.IDs(1)[0] || live[0].Report.Hook.At != last.Report.Hook.At {
		t.Errorf("live %s\nimported %s", got, want)
	}
	if got := shown(whole); !strings.Contains(got, "Command:make paint About: Cwd:/home/dev/p Failed:true Exit:0 Error:interrupted: the client ended") || strings.Contains(got, "make serve") {
		t.Errorf("told %s", got)
	}
}

// TestSpawned: the call that starts a subagent does not name it in newer clients; the row about its start does, in two forms. The name
// stands for a task that is encrypted.
func TestSpawned(t *testing.T) {
	t.Parallel()
	const rows = `{"ordinal":0,"timestamp":"2026-11-01T10:00:00Z","type":"session_meta","payload":{"id":"s-1","cwd":"/home/dev/p"}}
{"ordinal":1,"timestamp":"2026-11-01T10:00:01Z","type":"response_item","payload":{"type":"function_call","name":"spawn_agent","namespace":"collaboration","arguments":"{\"task_name\":\"scout\",\"message\":\"look around\"}","call_id":"c1"}}
{"ordinal":2,"timestamp":"2026-11-01T10:00:02Z","type":"event_msg","payload":{"type":"item_completed","item":{"type":"SubAgentActivity","id":"c1","kind":"started","agent_thread_id":"a1","agent_path":"/root/scout"}}}
{"ordinal":3,"timestamp":"2026-11-01T10:00:03Z","type":"response_item","payload":{"type":"function_call","name":"spawn_agent","namespace":"collaboration","arguments":"{\"task_name\":\"smith\",\"message\":\"gAAAAABq\"}","call_id":"c2"}}
{"ordinal":4,"timestamp":"2026-11-01T10:00:04Z","type":"event_msg","payload":{"type":"sub_agent_activity","event_id":"c2","kind":"started","agent_thread_id":"a2","agent_path":"/root/smith"}}
{"ordinal":5,"timestamp":"2026-11-01T10:00:05Z","type":"event_msg","payload":{"type":"sub_agent_activity","event_id":"c3","kind":"interacted","agent_thread_id":"a2","agent_path":"/root/smith"}}
`
	want := []events.SubagentTasked{
		{Lane: "a1", Text: "look around", About: "scout", Background: true}, {Lane: "a2", Text: "smith", About: "smith", Background: true},
	}
	for name, all := range map[string][]transcript.Step{"imported": imported(t, []byte(rows)), "watched": watched([]byte(rows))} {
		var got []events.SubagentTasked
		for _, s := range all {
			for _, e := range events.Recognise(s.Report.Hook) {
				if e, ok := e.(events.SubagentTasked); ok {
					got = append(got, e)
				}
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s %+v, want %+v", name, got, want)
		}
	}
}

// TestImage: an image before the words of a prompt leaves no empty line before them.
func TestImage(t *testing.T) {
	t.Parallel()
	all := imported(t, []byte(`{"ordinal":0,"timestamp":"2026-11-01T10:00:00Z","type":"session_meta","payload":{"id":"s-1","cwd":"/home/dev/p"}}
{"ordinal":1,"timestamp":"2026-11-01T10:00:01Z","type":"event_msg","payload":{"type":"item_completed","item":{"type":"UserMessage","content":[{"type":"image","image_url":"x"},{"type":"text","text":"look"}]}}}
`))
	if got := all[len(all)-1].Report.Hook.Text; got != "look" {
		t.Errorf("prompt %q", got)
	}
}

// TestBlocked: a command that a hook, a rule or the client's review kept from running is no failed command, and live nothing.
func TestBlocked(t *testing.T) {
	t.Parallel()
	for _, output := range []string{
		"Command blocked by PreToolUse hook: not here. Command: make paint",
		"This action was rejected due to unacceptable risk.\nReason: it deploys.",
		"exec_command failed for `/bin/bash -lc 'make paint'`: CreateProcess { message: \"Rejected(\\\"blocked by policy\\\")\" }",
	} {
		rows := fmt.Sprintf(`{"ordinal":0,"timestamp":"2026-11-01T10:00:00Z","type":"session_meta","payload":{"id":"s-1","cwd":"/home/dev/p"}}
{"ordinal":1,"timestamp":"2026-11-01T10:00:01Z","type":"event_msg","payload":{"type":"task_started","turn_id":"t1"}}
{"ordinal":2,"timestamp":"2026-11-01T10:00:02Z","type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"make paint\"}","call_id":"c1"}}
{"ordinal":3,"timestamp":"2026-11-01T10:00:03Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":%q}}
`, output)
		whole := imported(t, []byte(rows))
		got := events.Recognise(whole[len(whole)-1].Report.Hook)
		if used, ok := got[0].(events.ToolUsed); !ok || !used.Aborted || !used.Failed {
			t.Errorf("%s: told %s", output, shown(whole))
		}
		if live := watched([]byte(rows)); len(live) > 0 {
			t.Errorf("%s: live %s", output, shown(live))
		}
	}
}

func FuzzReader(f *testing.F) {
	for _, name := range rollouts {
		f.Add(rollout(f, name))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		imported(t, b)
		watched(b)
	})
}

// TestLastWords: the agent's last words come with the number of calls since.
func TestLastWords(t *testing.T) {
	t.Parallel()
	const rows = `{"timestamp":"2025-11-01T10:00:00Z","type":"session_meta","payload":{"id":"s-1","cwd":"/home/dev/p"}}
{"timestamp":"2025-11-01T10:00:02Z","type":"event_msg","payload":{"type":"user_message","message":"paint it","kind":"plain"}}
{"timestamp":"2025-11-01T10:00:03Z","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{}","call_id":"c1"}}
{"timestamp":"2025-11-01T10:00:04Z","type":"event_msg","payload":{"type":"agent_message","message":"Now the door."}}
{"timestamp":"2025-11-01T10:00:04Z","type":"event_msg","payload":{"type":"agent_reasoning","text":"The hinges come first."}}
{"timestamp":"2025-11-01T10:00:05Z","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"make\"]}","call_id":"c2"}}
{"timestamp":"2025-11-01T10:00:06Z","type":"response_item","payload":{"type":"web_search_call","id":"c3","action":{"query":"paint"}}}
`
	w := watch("")
	for row := range strings.Lines(rows) {
		w.Parse([]byte(strings.TrimSpace(row)))
	}
	if words, ok := w.LastWords(); !ok || words.Text != "Now the door." || words.Calls != 2 || words.Thought != "The hinges come first." {
		t.Errorf("%+v %v", words, ok)
	}
}

// TestInterrupted: an interruption has the agent's last words in the turn, which its hook lacks, for an import and a
// watcher alike.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	rows := bytes.SplitAfter(rollout(t, "refused"), []byte("\n"))
	at := slices.IndexFunc(rows, func(row []byte) bool { return bytes.Contains(row, []byte(`"type":"turn_aborted"`)) })
	said := []byte(`{"timestamp":"2026-11-22T00:59:11.700Z","ordinal":30,"type":"event_msg","payload":{"type":"agent_message","message":"First the rafters."}}` + "\n")
	b := bytes.Join(slices.Insert(rows[:at+1:at+1], at, said), nil)
	for _, all := range [][]transcript.Step{imported(t, b), watched(b)} {
		last := all[len(all)-1]
		want := events.TurnInterrupted{Said: "First the rafters."}
		if got := events.Recognise(last.Report.Hook); len(got) != 1 || got[0] != events.Event(want) || last.What != "Interrupt" {
			t.Errorf("%s: %+v", last.What, got)
		}
	}
}

// TestSumsAlone: of a client that tells only the sum of all requests, each request has what the sum grew by.
func TestSumsAlone(t *testing.T) {
	t.Parallel()
	read, got := requests(), [][3]int64{}
	for row := range bytes.Lines(rollout(t, "older")) {
		for _, q := range read(row) {
			got = append(got, [3]int64{q.Tokens.Input, q.Tokens.CacheRead, q.Tokens.Output})
		}
	}
	if want := [][3]int64{{800, 200, 50}, {800, 700, 40}}; !slices.Equal(got, want) {
		t.Errorf("requests with input, cached input and output %v, want %v", got, want)
	}
}
