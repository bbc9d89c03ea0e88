package claude_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"journal/events"
	"journal/journal/agents/claude"
	"journal/journal/agents/transcript"
)

// watched returns the steps of a watcher of the rows, by the ids of their events.
func watched(t testing.TB, rows []byte) map[string][]events.Event {
	t.Helper()
	d, err := transcript.Named(claude.Name)
	if err != nil {
		t.Fatal(err)
	}
	told, w := map[string][]events.Event{}, d.Watch("")
	for row := range bytes.Lines(rows) {
		for _, s := range w.Parse(bytes.TrimSpace(row)) {
			told[s.IDs(1)[0]] = events.Recognise(s.Report.Hook)
		}
	}
	return told
}

// TestWatcher: a watcher of a transcript gives steps of its import, under the same ids, and nothing that hooks report
// (J.5).
func TestWatcher(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "transcripts", "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	types := map[string]int{}
	for _, path := range files {
		rows, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		told := watched(t, rows)
		all, _ := steps(t, bytes.NewReader(rows))
		for _, s := range all {
			es := events.Recognise(s.Report.Hook)
			if got, ok := told[s.IDs(1)[0]]; ok {
				if diff := cmp.Diff(es, got); diff != "" {
					t.Errorf("%s: %s (-import +watcher):\n%s", path, s.What, diff)
				}
				delete(told, s.IDs(1)[0])
				for _, e := range es {
					types[fmt.Sprintf("%T", e)]++
				}
			} else if slices.ContainsFunc(es, func(e events.Event) bool { _, refused := e.(events.ToolRefused); return refused }) {
				t.Errorf("%s: %s is not watched", path, s.What)
			}
		}
		if len(told) > 0 {
			t.Errorf("%s: no import tells %v", path, told)
		}
	}
	for _, name := range []string{"events.ToolRefused", "events.ToolUsed", "events.TurnInterrupted", "events.CommandRan", "events.PromptSubmitted", "events.SessionTitled"} {
		if types[name] == 0 {
			t.Errorf("no %s: the transcripts show nothing", name)
		}
		delete(types, name)
	}
	if len(types) > 0 {
		t.Errorf("hooks tell %v", types)
	}
}

// TestUnfinishedCallOnce: a call whose row the client wrote twice is one unfinished call.
func TestUnfinishedCallOnce(t *testing.T) {
	t.Parallel()
	format, err := transcript.Named("claude")
	if err != nil {
		t.Fatal(err)
	}
	w := format.Watch("")
	w.Parse([]byte(`{"type":"user","uuid":"u1","sessionId":"s1","cwd":"/p","timestamp":"2099-03-01T10:00:01Z","message":{"content":"build it"}}`))
	for range 2 {
		w.Parse([]byte(`{"type":"assistant","uuid":"a1","sessionId":"s1","timestamp":"2099-03-01T10:00:02Z","message":{"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"make all"}}]}}`))
	}
	if words, _ := w.LastWords(); len(words.Open) != 1 {
		t.Errorf("unfinished calls: %+v", words.Open)
	}
}

// A call without a result is unfinished while no later message has calls: the client cut off an older one, as at a compaction.
func TestCallsOfTheNewestMessage(t *testing.T) {
	t.Parallel()
	format, err := transcript.Named("claude")
	if err != nil {
		t.Fatal(err)
	}
	w := format.Watch("")
	w.Parse([]byte(`{"type":"user","uuid":"u1","sessionId":"s1","cwd":"/p","timestamp":"2099-03-01T10:00:01Z","message":{"content":"build it"}}`))
	for i, want := range []string{"[make all]", "[make docs]", "[make tests make docs]"} {
		message, target := []string{"m1", "m2", "m2"}[i], []string{"all", "docs", "tests"}[i]
		w.Parse(fmt.Appendf(nil, `{"type":"assistant","uuid":"a%d","sessionId":"s1","timestamp":"2099-03-01T10:00:02Z","message":{"id":%q,"content":[{"type":"tool_use","id":"t%d","name":"Bash","input":{"command":"make %s"}}]}}`, i, message, i, target))
		words, _ := w.LastWords()
		var calls []string
		for _, o := range words.Open {
			calls = append(calls, o.Call)
		}
		if got := fmt.Sprint(calls); got != want {
			t.Errorf("unfinished after make %s: %s, want %s", target, got, want)
		}
	}
}

// TestPromptBesideASubagent: a person who goes on while a subagent's command runs has killed nothing.
func TestPromptBesideASubagent(t *testing.T) {
	t.Parallel()
	rows := `{"type":"user","uuid":"u1","sessionId":"s1","cwd":"/p","timestamp":"2099-03-01T10:00:01Z","message":{"content":"build it"}}
{"type":"assistant","uuid":"a1","sessionId":"s1","isSidechain":true,"agentId":"x","timestamp":"2099-03-01T10:00:02Z","message":{"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"make all"}}]}}
{"type":"assistant","uuid":"a2","sessionId":"s1","timestamp":"2099-03-01T10:00:02Z","message":{"content":[{"type":"tool_use","id":"t2","name":"Bash","input":{"command":"make docs"}}]}}
{"type":"user","uuid":"u2","sessionId":"s1","cwd":"/p","timestamp":"2099-03-01T10:00:03Z","message":{"content":"and the tests"}}
{"type":"user","uuid":"r1","sessionId":"s1","isSidechain":true,"agentId":"x","timestamp":"2099-03-01T10:00:04Z","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"built"}]}}
`
	all, _ := steps(t, strings.NewReader(rows))
	failed := map[string]bool{}
	for _, s := range all {
		for _, e := range events.Recognise(s.Report.Hook) {
			if c, ok := e.(events.CommandRan); ok {
				failed[c.Command] = c.Failed
			}
		}
	}
	if diff := cmp.Diff(map[string]bool{"make all": false, "make docs": true}, failed); diff != "" {
		t.Errorf("commands that failed (-want +got):\n%s", diff)
	}
}

// TestWordsBesideANotice: the notice of a task that ended while a turn runs takes none of the agent's words, as a prompt
// of the person does.
func TestWordsBesideANotice(t *testing.T) {
	t.Parallel()
	d, err := transcript.Named(claude.Name)
	if err != nil {
		t.Fatal(err)
	}
	for queued, want := range map[string]string{
		`<task-notification>\n<task-id>b1</task-id>\n<status>completed</status>\n</task-notification>`: "First the rafters.",
		"and the roof": "",
	} {
		w := d.Watch("")
		for row := range strings.Lines(`{"type":"user","uuid":"u1","sessionId":"s1","cwd":"/p","timestamp":"2099-03-01T10:00:01Z","message":{"content":"build it"}}
{"type":"assistant","uuid":"a1","sessionId":"s1","timestamp":"2099-03-01T10:00:02Z","message":{"id":"m1","content":[{"type":"text","text":"First the rafters."}]}}
{"type":"attachment","uuid":"n1","sessionId":"s1","timestamp":"2099-03-01T10:00:03Z","attachment":{"type":"queued_command","prompt":"` + queued + `"}}
`) {
			w.Parse([]byte(row))
		}
		if words, _ := w.LastWords(); words.Text != want {
			t.Errorf("after %s: %q", queued, words.Text)
		}
	}
}

// TestThought: the model's reasoning counts while it is newer than its words and the prompt; a client that hides it
// stores it empty.
func TestThought(t *testing.T) {
	t.Parallel()
	d, err := transcript.Named(claude.Name)
	if err != nil {
		t.Fatal(err)
	}
	w := d.Watch("")
	for i, step := range []struct {
		row, want string
		calls     int
	}{
		{`"user","uuid":"u1","message":{"content":"build it"}`, "", 0},
		{`"assistant","uuid":"a1","message":{"id":"m1","content":[{"type":"thinking","thinking":"Rafters first."}]}`, "Rafters first.", 0},
		{`"assistant","uuid":"a2","message":{"id":"m1","content":[{"type":"text","text":"First the rafters."}]}`, "", 0},
		{`"assistant","uuid":"a3","message":{"id":"m2","content":[{"type":"thinking","thinking":"They bend; beams of oak."}]}`, "They bend; beams of oak.", 0},
		{`"assistant","uuid":"a4","message":{"id":"m3","content":[{"type":"thinking","thinking":"","signature":"c2ln"}]}`, "They bend; beams of oak.", 0},
		{`"assistant","uuid":"a5","message":{"id":"m3","content":[{"type":"tool_use","id":"t1","name":"Edit","input":{"file_path":"/p/roof.go"}}]}`, "They bend; beams of oak.", 1},
		{`"user","uuid":"u2","message":{"content":"now the roof"}`, "", 0},
	} {
		w.Parse([]byte(`{"sessionId":"s1","cwd":"/p","timestamp":"2099-03-01T10:00:01Z","type":` + step.row + `}`))
		if words, _ := w.LastWords(); words.Thought != step.want || words.ThoughtCalls != step.calls {
			t.Errorf("after row %d: %q and %d calls, want %q and %d", i, words.Thought, words.ThoughtCalls, step.want, step.calls)
		}
	}
}

// TestResult: what the newest call returned counts while it is newer than the model's words, but for what stands elsewhere.
func TestResult(t *testing.T) {
	t.Parallel()
	d, err := transcript.Named(claude.Name)
	if err != nil {
		t.Fatal(err)
	}
	w := d.Watch("")
	for i, step := range []struct{ name, input, result, of, want string }{
		{"Grep", `{"pattern":"open("}`, `"a.go:3: open("`, "Grep open(", "a.go:3: open("},
		{"Bash", `{"command":"make docs"}`, `"12 pages\n"`, "make docs", "12 pages"},
		{"Read", `{"file_path":"/p/a.go"}`, `"package a"`, "", ""},
		{"mcp__tracker__create_issue", `{"title":"Author is wrong"}`, `[{"type":"text","text":"ENT-228"}]`, "mcp__tracker__create_issue Author is wrong", "ENT-228"},
		{"TodoWrite", `{}`, `"Todos have been modified"`, "", ""},
		{"Bash", `{"command":"true"}`, `""`, "", ""},
	} {
		id := fmt.Sprint("c", i)
		for _, row := range []string{
			`"assistant","uuid":"a` + id + `","message":{"id":"m` + id + `","content":[{"type":"tool_use","id":"` + id + `","name":"` + step.name + `","input":` + step.input + `}]}`,
			`"user","uuid":"u` + id + `","message":{"content":[{"type":"tool_result","tool_use_id":"` + id + `","content":` + step.result + `}]}`,
		} {
			w.Parse([]byte(`{"sessionId":"s1","cwd":"/p","timestamp":"2099-03-01T10:00:01Z","type":` + row + `}`))
		}
		words, _ := w.LastWords()
		if words.ResultOf != step.of || !strings.Contains(words.Result, step.want) || step.want == "" && words.Result != "" || words.Command != (step.name == "Bash") {
			t.Errorf("%s: %q of %q", step.name, words.Result, words.ResultOf)
		}
	}
}

// FuzzWatcher: a watcher accepts every row, and its steps are valid.
func FuzzWatcher(f *testing.F) {
	b, err := os.ReadFile(filepath.Join("testdata", "transcripts", "facts.jsonl"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	for line := range bytes.Lines(b) {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, rows []byte) {
		for id, es := range watched(t, rows) {
			if len(id) != 36 || len(es) == 0 {
				t.Errorf("%s tells %v", id, es)
			}
		}
	})
}
