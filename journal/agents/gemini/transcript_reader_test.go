package gemini

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

func chat(t *testing.T) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "transcripts", "compressed.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func steps(t *testing.T, r *transcript.Reader) (all []transcript.Step) {
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

func shown(all []transcript.Step) string {
	var b strings.Builder
	for _, s := range all {
		for _, e := range events.Recognise(s.Report.Hook) {
			fmt.Fprintf(&b, "%s %s: %T %+v\n", s.Row, s.What, e, e)
		}
	}
	return b.String()
}

// TestReader: a chat of the real client in which the context was compressed twice, over four processes.
func TestReader(t *testing.T) {
	t.Parallel()
	r := transcript.NewReader(bytes.NewReader(chat(t)), rowLimits, newReader(""), nil)
	got := shown(steps(t, r))
	agentstest.Golden(t, "transcripts/compressed.golden", got)
	if s := r.Summary(); s.Compactions != 2 || s.Broken != 0 || s.Rows == 0 {
		t.Errorf("summary %+v", s)
	}
}

// TestWatcher: the steps of a watcher of a growing chat are steps of its import, with the same ids, and none that a
// hook reports.
func TestWatcher(t *testing.T) {
	t.Parallel()
	var imported []string
	for _, s := range steps(t, transcript.NewReader(bytes.NewReader(chat(t)), rowLimits, newReader(""), nil)) {
		imported = append(imported, s.IDs(1)...)
	}
	format, err := transcript.Named("gemini")
	if err != nil {
		t.Fatal(err)
	}
	w := format.Watch("")
	var found []transcript.Step
	for row := range bytes.Lines(chat(t)) {
		found = append(found, w.Parse(bytes.TrimSpace(row))...)
	}
	compressed := 0
	for _, s := range found {
		if !slices.Contains(imported, s.IDs(1)[0]) {
			t.Errorf("%s %s is no step of an import", s.Row, s.What)
		}
		switch s.Report.Hook.Kind {
		case events.CompactEnd:
			if compressed++; s.Report.Hook.Text != "The lighthouse is being built. It goes on." {
				t.Errorf("summary %q", s.Report.Hook.Text)
			}
		case events.UsageSample:
		default:
			t.Errorf("a hook tells %s", s.What)
		}
	}
	if compressed != 2 {
		t.Errorf("%d compressions, want 2", compressed)
	}
}

// TestRewrittenChat: when the client resumes an older chat, one row has all its messages.
func TestRewrittenChat(t *testing.T) {
	t.Parallel()
	const chat = `{"sessionId":"s","projectHash":"h","startTime":"2026-11-22T00:34:18Z"}
{"$set":{"messages":[{"id":"c","type":"user","content":[{"text":"<session_context>\nThis is the Gemini CLI."}]}]}}
{"$set":{"messages":[{"id":"m1","timestamp":"2026-11-22T00:34:19Z","type":"user","content":[{"text":"sow"}]},{"id":"m2","timestamp":"2026-11-22T00:34:20Z","type":"gemini","content":[{"text":"Sown."}]}]}}
{"id":"m3","timestamp":"2026-11-22T00:34:21Z","type":"user","content":"reap"}
{"$set":{"messages":[{"id":"n1","timestamp":"2026-11-22T00:34:22Z","type":"user","content":"of another list"}]}}
`
	got := shown(steps(t, transcript.NewReader(strings.NewReader(chat), rowLimits, newReader(""), nil)))
	for _, want := range []string{"m1 BeforeAgent: events.PromptSubmitted {Text:sow ", "m2 AfterAgent: events.TurnEnded {Text:Sown.}", "{Text:reap "} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if strings.Contains(got, "of another list") || strings.Count(got, "SessionStart:") != 1 {
		t.Errorf("got\n%s", got)
	}
}

// TestRefusedInDialog: a command that the person refused in the dialog is only in the chat: a watcher finds it as an
// import does (S0.2).
func TestRefusedInDialog(t *testing.T) {
	t.Parallel()
	const said = `{"sessionId":"s","projectHash":"h","startTime":"2026-11-22T00:34:18Z"}
{"id":"m","timestamp":"2026-11-22T00:34:20Z","type":"gemini","content":"","tokens":{"input":3000},"toolCalls":[{"id":"c","name":"run_shell_command","args":{"command":"touch red.txt"},"status":"cancelled","result":[{"functionResponse":{"response":{"error":"[Operation Cancelled] Reason: User denied execution."}}}]}]}
`
	imported := shown(steps(t, transcript.NewReader(strings.NewReader(said), rowLimits, newReader(""), nil)))
	w := transcript.Watch(newReader)("")
	var found []transcript.Step
	for row := range strings.Lines(said) {
		found = append(found, w.Parse([]byte(row))...)
	}
	want := "c AfterTool: events.ToolRefused {Tool:run_shell_command Target:touch red.txt Words: Use: Passages:[]}\n"
	if got := shown(found); got != want || !strings.Contains(imported, want) {
		t.Errorf("watched %s\nimported %s\nwant %s", got, imported, want)
	}
}

// TestWatcherInTheMiddle: a watcher that starts in the middle of a chat knows when the context was compressed, and
// skips what was before a time, although these rows have no time of their own.
func TestWatcherInTheMiddle(t *testing.T) {
	t.Parallel()
	format, err := transcript.Named("gemini")
	if err != nil {
		t.Fatal(err)
	}
	compressed := func(since time.Time) (at []time.Time) {
		for row := range bytes.Lines(chat(t)) {
			if !bytes.Contains(row, []byte(`"text":"<state_snapshot>`)) {
				continue
			}
			w := format.Watch("")
			w.Since(since)
			for _, s := range w.Parse(bytes.TrimSpace(row)) {
				at = append(at, time.Unix(0, s.Report.Hook.At).UTC())
			}
		}
		return at
	}
	all := compressed(time.Time{})
	if len(all) == 0 || all[0].Year() != 2026 {
		t.Fatalf("compressed at %v", all)
	}
	first, last := slices.MinFunc(all, time.Time.Compare), slices.MaxFunc(all, time.Time.Compare)
	if got := compressed(first); len(got) != len(all) {
		t.Errorf("since %v: %v, want %v", first, got, all)
	}
	if got := compressed(last.Add(1)); len(got) != 0 {
		t.Errorf("after %v: %v", last, got)
	}
}

// TestWatchedRewind: a watcher that skips what was before a time reports a rewind, although the row has no time.
func TestWatchedRewind(t *testing.T) {
	t.Parallel()
	const said = `{"sessionId":"s","projectHash":"h","startTime":"2026-11-22T00:34:18Z"}
{"id":"m1","timestamp":"2026-11-22T00:34:20Z","type":"user","content":[{"text":"the first wish"}]}
{"id":"m2","timestamp":"2026-11-22T00:34:30Z","type":"user","content":[{"text":"the second wish"}]}
{"$rewindTo":"m2"}
`
	for _, since := range []time.Time{{}, time.Date(2026, 11, 22, 0, 34, 19, 0, time.UTC)} {
		w := transcript.Watch(newReader)("")
		w.Since(since)
		rewinds := 0
		for row := range strings.Lines(said) {
			for _, s := range w.Parse([]byte(row)) {
				if s.Report.Hook.Kind == events.Rewind {
					rewinds++
				}
			}
		}
		if rewinds != 1 {
			t.Errorf("since %v: %d rewinds, want 1", since, rewinds)
		}
	}
}

func TestSkim(t *testing.T) {
	t.Parallel()
	head, err := skim("", bytes.NewReader(chat(t)))
	if err != nil || head.Began.IsZero() {
		t.Errorf("head %+v, %v", head, err)
	}
	for _, other := range []string{"", "{}", `{"sessionId":"x","type":"user"}`, "no JSON"} {
		if _, err := skim("", strings.NewReader(other)); err == nil {
			t.Errorf("%q is a chat", other)
		}
	}
}

func FuzzReader(f *testing.F) {
	b, err := os.ReadFile(filepath.Join("testdata", "transcripts", "compressed.jsonl"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte(`{"sessionId":"s","projectHash":"h","startTime":"2026-11-22T00:34:18Z"}` + "\n" + `{"$set":{"messages":[null]}}` + "\n{"))
	f.Fuzz(func(t *testing.T, b []byte) {
		r := transcript.NewReader(bytes.NewReader(b), rowLimits, newReader(""), nil)
		for {
			s, err := r.Next()
			if err != nil {
				return
			}
			if len(events.Recognise(s.Report.Hook)) == 0 {
				t.Errorf("%s %s says nothing", s.Row, s.What)
			}
		}
	})
}

// TestLastWords: the agent's last words come with the number of calls since, including those of their own message,
// which is written again with them. Words from before the newest request do not count.
func TestLastWords(t *testing.T) {
	t.Parallel()
	const rows = `{"id":"u1","type":"user","content":"paint it"}
{"id":"g1","type":"gemini","tokens":{},"content":"Now the door.","toolCalls":[{"id":"c1","name":"read_file","status":"success"}]}
{"id":"g1","type":"gemini","tokens":{},"content":"Now the door.","toolCalls":[{"id":"c1","name":"read_file","status":"success"},{"id":"c2","name":"read_file","status":"error"},{"id":"c3","name":"read_file","status":"executing"}]}
{"id":"g2","type":"gemini","tokens":{},"content":"","thoughts":[{"subject":"Hinges","description":"The hinges come first."}],"toolCalls":[{"id":"c4","name":"read_file","status":"success"}]}
`
	format, err := transcript.Named("gemini")
	if err != nil {
		t.Fatal(err)
	}
	w := format.Watch("")
	for row := range strings.Lines(rows) {
		w.Parse([]byte(strings.TrimSpace(row)))
	}
	if words, ok := w.LastWords(); !ok || words.Text != "Now the door." || words.Calls != 3 || words.Thought != "The hinges come first." {
		t.Errorf("%+v %v", words, ok)
	}
	w.Parse([]byte(`{"id":"u2","type":"user","content":"not that"}`))
	if words, ok := w.LastWords(); !ok || words.Text+words.Thought != "" {
		t.Errorf("said before the newest request: %+v %v", words, ok)
	}
}
