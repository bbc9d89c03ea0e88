package copilot

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

// chatOf returns a chat of the real client.
func chatOf(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "transcripts", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// imported returns the steps of an import.
func imported(t *testing.T, chat []byte) (all []transcript.Step) {
	t.Helper()
	r := transcript.NewReader(bytes.NewReader(chat), rowLimits, newReader(""), nil)
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

// watched returns the steps of a watcher.
func watched(chat []byte, since time.Time) (all []transcript.Step) {
	r := newReader("")
	r.Watching = true
	r.Since(since)
	for row := range bytes.Lines(chat) {
		all = append(all, r.Parse(bytes.TrimSpace(row))...)
	}
	return all
}

func shown(all []transcript.Step) string {
	var b strings.Builder
	for _, s := range all {
		for _, e := range events.Recognise(s.Report.Hook) {
			fmt.Fprintf(&b, "%s %s: %T %+v\n", s.Row[:min(8, len(s.Row))], s.What, e, e)
		}
	}
	return b.String()
}

var chatNames = []string{"compacted", "subagent"}

// TestReader: chats of the real client, with a hook that adds texts.
func TestReader(t *testing.T) {
	t.Parallel()
	for _, name := range chatNames {
		got := shown(imported(t, chatOf(t, name)))
		agentstest.Golden(t, "transcripts/"+name+".golden", got)
		if strings.Contains(got, "a text of another hook") {
			t.Errorf("%s: somebody's words have a hook's", name)
		}
	}
}

// TestWatcher: the steps of a watcher are steps of the import, with the same ids, and none that a hook reports.
func TestWatcher(t *testing.T) {
	t.Parallel()
	for _, name := range chatNames {
		var ids []string
		for _, s := range imported(t, chatOf(t, name)) {
			ids = append(ids, s.IDs(1)...)
		}
		for _, s := range watched(chatOf(t, name), time.Time{}) {
			if !slices.Contains(ids, s.IDs(1)[0]) {
				t.Errorf("%s: %s %s is no step of an import", name, s.Row, s.What)
			}
			if !slices.Contains([]events.HookKind{events.UsageSample, events.CompactEnd, events.SubagentStart}, s.Report.Hook.Kind) && !s.Unhooked {
				t.Errorf("%s: a hook reports %s", name, s.What)
			}
		}
	}
	if late := watched(chatOf(t, "subagent"), time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)); len(late) > 0 {
		t.Errorf("older rows are read: %s", shown(late))
	}
}

// TestCallsAfterWords: a finding knows the calls after it, and whether one of them wrote a file.
func TestCallsAfterWords(t *testing.T) {
	t.Parallel()
	for tool, acted := range map[string]bool{"bash": false, "edit": true} {
		r := newReader("")
		r.Watching = true
		for _, row := range []string{
			`{"type":"user.message","id":"1","data":{"content":"Why does the roof sink?"}}`,
			`{"type":"assistant.message","id":"2","data":{"content":"The roof sinks because the north wall is too thin.","toolRequests":[{"toolCallId":"c1","name":"` + tool + `"}]}}`,
			`{"type":"assistant.message","id":"3","data":{"content":"Now the door.","toolRequests":[{"toolCallId":"c2","name":"view"}]}}`,
		} {
			r.Parse([]byte(row))
		}
		words, _ := r.LastWords()
		found := words.Found()
		if len(found) != 1 || found[0].Calls != 2 || found[0].Acted != acted || (len(words.Announced) == 1) != acted {
			t.Errorf("%s: found %+v, announced %+v", tool, found, words.Announced)
		}
	}
}

// TestWhoseWords: messages that name a source, and autopilot's, are nobody's; a call that was not allowed is only here.
func TestWhoseWords(t *testing.T) {
	t.Parallel()
	const chat = `{"type":"session.start","id":"1","timestamp":"2026-11-29T08:00:00Z","data":{"sessionId":"s","context":{"cwd":"/w"}}}
{"type":"user.message","id":"2","timestamp":"2026-11-29T08:00:01Z","data":{"content":"build it"}}
{"type":"user.message","id":"3","timestamp":"2026-11-29T08:00:02Z","data":{"content":"the skill","source":"skill-pdf"}}
{"type":"user.message","id":"4","timestamp":"2026-11-29T08:00:03Z","data":{"content":"go on","isAutopilotContinuation":true}}
{"type":"tool.execution_start","id":"5","timestamp":"2026-11-29T08:00:04Z","data":{"toolCallId":"c","toolName":"bash","arguments":{"command":"rm -rf /"}}}
{"type":"tool.execution_complete","id":"6","timestamp":"2026-11-29T08:00:05Z","data":{"toolCallId":"c","success":false,"error":{"message":"The user rejected this tool call","code":"rejected"}}}
`
	got := ""
	for _, s := range imported(t, []byte(chat)) {
		if h := s.Report.Hook; h.Kind == events.PromptSubmit {
			got += fmt.Sprintf("%s machine=%v\n", h.Text, h.Machine)
		}
	}
	if want := "build it machine=false\nthe skill machine=true\ngo on machine=true\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got, want := shown(watched([]byte(chat), time.Time{})), "6 PostToolUseFailure: events.ToolRefused {Tool:Bash Target:rm -rf / Words: Use: Passages:[]}\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestEndsOfTurns: what no hook reports: the person stopped a turn, a request failed, the person ran a command; and rows that
// are torn.
func TestEndsOfTurns(t *testing.T) {
	t.Parallel()
	row := func(id, kind, data string) string {
		return fmt.Sprintf(`{"type":%q,"id":%q,"timestamp":"2026-11-29T08:00:00Z","data":%s}`+"\n", kind, id, data)
	}
	chat := `{"type":"session.start","id":"1","timestamp":"2026-11-29T08:0` + "\n" +
		row("2", "hook.start", `{"input":{"cwd":"/w"}}`) +
		row("3", "user.message", `{"content":"build it"}`) +
		row("4", "assistant.message", `{"content":"First the walls."}`) +
		row("5", "abort", `{"reason":"user_initiated"}`) +
		row("6", "user.message", `{"content":"go on"}`) +
		row("7", "session.error", `{"errorType":"rate_limit","message":"429"}`) +
		row("8", "tool.user_requested", `{"toolCallId":"c","toolName":"bash","arguments":{"command":"make"}}`) +
		row("9", "tool.execution_complete", `{"toolCallId":"c","isUserRequested":true,"success":true,"result":{"content":"no rule\n<shellId: 1 completed with exit code 2>"}}`) +
		`{"type":"assistant.message","id":"91","agentId":"a","timestamp":"2026-11-29T08:00:00Z","data":{"content":"counted three"}}` + "\n" +
		`{"type":"subagent.failed","id":"92","agentId":"a","timestamp":"2026-11-29T08:00:00Z","data":{"error":"503"}}` + "\n" +
		row("10", "tool.execution_complete", `{"toolCallId":"d","success":true,"toolDescription":{"name":"read_agent"},"result":{"content":"done"}}`)
	path := filepath.Join(t.TempDir(), "s-1", eventsFile)
	head, err := skim(path, strings.NewReader(chat))
	if err != nil || head.Session != "s-1" || head.Began.IsZero() {
		t.Errorf("head %+v, %v", head, err)
	}
	r, got := transcript.NewReader(strings.NewReader(chat), rowLimits, newReader(path), nil), []transcript.Step{}
	for s, err := r.Next(); err == nil; s, err = r.Next() {
		if h := s.Report.Hook; h.Session != "s-1" || s.Row > "2" && h.Root != "/w" {
			t.Errorf("%s %s: session %q, root %q", s.Row, s.What, h.Session, h.Root)
		}
		got = append(got, s)
	}
	all := shown(got)
	for _, want := range []string{"Text:build it", "TurnInterrupted {Tool:false Said:First the walls.}", "Text:go on", "TurnFailed {Error:rate_limit Details:429}", "Exit:2", "Person:true", "read_agent", "counted three"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is missing in\n%s", want, all)
		}
	}
	if strings.Contains(all, "TurnEnded") {
		t.Errorf("no turn ended:\n%s", all)
	}
}

func TestSkim(t *testing.T) {
	t.Parallel()
	for _, name := range chatNames {
		if head, err := skim("", bytes.NewReader(chatOf(t, name))); err != nil || head.Began.IsZero() || len(head.Session) != 36 {
			t.Errorf("%s: %+v, %v", name, head, err)
		}
	}
	for _, other := range []string{
		"", "{}", "no JSON",
		`{"type":"session.resume","id":"x","timestamp":"2026-11-29T08:00:00Z","data":{"sessionId":"x"}}`,
	} {
		if _, err := skim("", strings.NewReader(other)); err == nil {
			t.Errorf("%q is a chat", other)
		}
	}
}

// TestFiles: sessions of older clients, and files that are none.
func TestFiles(t *testing.T) {
	t.Parallel()
	const first = `{"type":"session.start","id":"1","timestamp":"2026-11-29T08:00:00Z","data":{"sessionId":"s"}}`
	for path, want := range map[string]error{
		"/h/session-state/s/events.jsonl": nil, "/h/session-state/s.jsonl": nil, "/h/session-state/s/files/notes.jsonl": transcript.ErrOwn,
		"/h/copied.jsonl": nil, "/h/history-session-state/session_s_1.json": errOlder,
	} {
		if _, err := skim(path, strings.NewReader(first)); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", path, err, want)
		}
	}
}

// TestUnnamedStart: a first row that does not name its session is of the session in the path.
func TestUnnamedStart(t *testing.T) {
	t.Parallel()
	const first = `{"type":"session.start","id":"1","timestamp":"2026-11-29T08:00:00Z","data":{"sessionId":null}}`
	if head, err := skim("/h/session-state/s/events.jsonl", strings.NewReader(first)); err != nil || head.Session != "s" {
		t.Errorf("head %+v, %v", head, err)
	}
}

func FuzzReader(f *testing.F) {
	for _, name := range chatNames {
		f.Add(chatOf(f, name))
	}
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
