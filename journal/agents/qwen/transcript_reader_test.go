package qwen

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

var chatNames = []string{"work", "compacted", "subagent", "subagent-session"}

// TestReader: chats of the real client, with a hook that adds texts.
func TestReader(t *testing.T) {
	t.Parallel()
	for _, name := range chatNames {
		got := shown(imported(t, chatOf(t, name)))
		agentstest.Golden(t, "transcripts/"+name+".golden", got)
		if strings.Contains(got, "a text of another hook") && !strings.Contains(got, "Failed:true Error:") {
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
			if s.Report.Hook.Kind != events.UsageSample && !s.Unhooked {
				t.Errorf("%s: a hook reports %s", name, s.What)
			}
		}
	}
	if late := watched(chatOf(t, "work"), time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)); len(late) > 0 {
		t.Errorf("older rows are read: %s", shown(late))
	}
}

// line is a row in the form of the client's.
func line(id, parent, kind, rest string) string {
	return fmt.Sprintf(`{"uuid":%q,"parentUuid":%s,"sessionId":"s","timestamp":"2026-11-29T08:00:00Z","cwd":"/w",%s,%s}`+"\n", id, parent, kind, rest)
}

func said(id, parent, text string) string {
	return line(id, parent, `"type":"user","provenance":"real_user"`, fmt.Sprintf(`"message":{"role":"user","parts":[{"text":%q}]}`, text))
}

// TestWhoseWords: what the person typed, in a command and in the middle of a turn, and what a scheduler and a goal sent.
func TestWhoseWords(t *testing.T) {
	t.Parallel()
	chat := line("c", "null", `"type":"system","subtype":"slash_command"`, `"systemPayload":{"phase":"invocation","rawCommand":"/fix the door"}`) +
		said("u1", `"c"`, "You are a carpenter. Fix this: the door") +
		line("m", `"u1"`, `"type":"user","subtype":"mid_turn_user_message"`, `"message":{"parts":[{"text":"and the hinge"}]},"systemPayload":{"displayText":"and the hinge"}`) +
		line("n", `"m"`, `"type":"user","subtype":"cron"`, `"message":{"parts":[{"text":"look at the tide"}]}`) +
		line("g", `"n"`, `"type":"user","subtype":"goal_runtime"`, `"message":{"parts":[{"text":"go on"}]}`) +
		said("u2", `"g"`, "thanks") +
		line("a", `"u2"`, `"type":"system","subtype":"at_command"`, `"systemPayload":{"status":"success","filesRead":["door.md"],"userText":"follow @door.md"}`) +
		line("u3", `"a"`, `"type":"user","provenance":"real_user"`, `"message":{"parts":[{"text":"follow @door.md"},{"text":"\n--- Content from referenced files ---"},{"text":"oak"}]}`) +
		line("u4", `"u3"`, `"type":"user","provenance":"real_user"`, `"message":{"parts":[{"text":"and @docs:hinge"},{"text":"\n--- Content from MCP resource docs:hinge [ab12] ---\n"},{"text":"iron"}]}`) +
		line("r", `"u4"`, `"type":"user","provenance":"goal_control"`, `"message":{"parts":[{"text":"the goal is not reached"}]}`)
	got := ""
	for _, s := range imported(t, []byte(chat)) {
		if h := s.Report.Hook; h.Kind == events.PromptSubmit {
			got += fmt.Sprintf("%s machine=%v hooked=%v\n", h.Text, h.Machine, !s.Unhooked)
		}
	}
	const want = `/fix the door machine=false hooked=true
and the hinge machine=false hooked=false
look at the tide machine=true hooked=false
go on machine=true hooked=false
thanks machine=false hooked=true
follow @door.md machine=false hooked=true
and @docs:hinge machine=false hooked=true
the goal is not reached machine=true hooked=false
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if n := strings.Count(shown(watched([]byte(chat), time.Time{})), "PromptSubmitted"); n != 4 {
		t.Errorf("a watcher reports %d prompts, want the four without a hook", n)
	}
}

// TestRewind: the row of a rewind hangs from the row before the prompt that the person went back to.
func TestRewind(t *testing.T) {
	t.Parallel()
	back := func(to string) string {
		return line("r", to, `"type":"system","subtype":"rewind"`, `"systemPayload":{"truncatedCount":2}`)
	}
	three := said("u1", "null", "one") + said("u2", `"u1"`, "two") + said("u3", `"u2"`, "three")
	for to, want := range map[string]string{"null": "one", `"u1"`: "two", `"u2"`: "three", `"x"`: ""} {
		got := ""
		for _, s := range imported(t, []byte(three+back(to))) {
			if s.Rewind == nil {
				continue
			}
			for text := range strings.FieldsSeq("one two three") {
				if transcript.WordsOf(text) == s.Rewind.First.Words {
					got = text
				}
			}
		}
		if got != want {
			t.Errorf("back to %s takes back %q, want %q", to, got, want)
		}
	}
}

// TestFork: a branch has copied rows, which keep their ids and name the session that they are from.
func TestFork(t *testing.T) {
	t.Parallel()
	copied := strings.Replace(said("u1", "null", "one"), `"sessionId":"s"`, `"sessionId":"f","forkedFrom":{"sessionId":"s","messageUuid":"u1"}`, 1)
	path := filepath.Join(t.TempDir(), "f.jsonl")
	if err := os.WriteFile(path, []byte(line("a", "null", `"type":"system","subtype":"session_source"`, `"systemPayload":{}`)+copied), 0o600); err != nil {
		t.Fatal(err)
	}
	if session, row, err := parent(path, time.Time{}); session != "s" || row != "u1" || err != nil {
		t.Errorf("parent %q, row %q, %v", session, row, err)
	}
	head, err := skim("", strings.NewReader(copied))
	if err != nil || !head.Fork || head.From != "s" || head.Session != "f" {
		t.Errorf("head %+v, %v", head, err)
	}
	if a, b := imported(t, []byte(copied)), imported(t, []byte(said("u1", "null", "one"))); a[1].IDs(1)[0] != b[1].IDs(1)[0] {
		t.Error("a copied prompt is another one")
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
		`{"uuid":"u","sessionId":"x","timestamp":"2026-11-29T08:00:00Z","type":"user","message":{"role":"user","content":"hello"}}`,
	} {
		if _, err := skim("", strings.NewReader(other)); err == nil {
			t.Errorf("%q is a chat", other)
		}
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
