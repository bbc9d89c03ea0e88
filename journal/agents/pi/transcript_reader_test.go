package pi

import (
	"bytes"
	"encoding/json"
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

// sessionOf returns a session of the real client.
func sessionOf(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "transcripts", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// imported returns the steps of an import.
func imported(t *testing.T, path string, rows []byte) (all []transcript.Step) {
	t.Helper()
	r := transcript.NewReader(bytes.NewReader(rows), rowLimits, newReader(path), nil)
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

var names = []string{"work", "rewound"}

// TestReader: sessions of the real client.
func TestReader(t *testing.T) {
	t.Parallel()
	for _, name := range names {
		agentstest.Golden(t, "transcripts/"+name+".golden", shown(imported(t, "", sessionOf(t, name))))
	}
}

// TestWatcher: the steps of a watcher are steps of the import, with the same ids, and none that the extension reports.
func TestWatcher(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"work": "tool_result", "rewound": "rewind"} {
		var ids []string
		for _, s := range imported(t, "", sessionOf(t, name)) {
			ids = append(ids, s.IDs(1)...)
		}
		r := newReader("")
		r.Watching = true
		var all []transcript.Step
		for row := range bytes.Lines(sessionOf(t, name)) {
			all = append(all, r.Parse(bytes.TrimSpace(row))...)
		}
		if len(all) != 1 || all[0].What != want || !all[0].Unhooked || !slices.Contains(ids, all[0].IDs(1)[0]) {
			t.Errorf("%s: %s", name, shown(all))
		}
	}
}

// TestContexts: what the client kept over a compaction, and the text that it was given, in the session and behind a call.
func TestContexts(t *testing.T) {
	t.Parallel()
	for _, name := range names {
		all, err := contexts(filepath.Join("testdata", "transcripts", name+".jsonl"), "")
		if err != nil || len(all) != 1 || len(all[0].Texts) != 1 || !strings.HasPrefix(all[0].Texts[0], "# Journal: what the compacted context may have lost") {
			t.Errorf("%s: %+v, %v", name, all, err)
		}
		if want := []string{"two other"}; name == "rewound" && !slices.Equal(all[0].Prompts, want) {
			t.Errorf("kept %q, want %q, without what was taken back", all[0].Prompts, want)
		}
	}
	var c contextReader
	for _, b := range []string{
		row1("a", "", `"type":"message","message":{"role":"user","content":"build"}`),
		row1("b", "a", `"type":"compaction","summary":"s","firstKeptEntryId":"b"`),
		row1("c", "b", `"type":"message","message":{"role":"toolResult","toolCallId":"1","content":[{"type":"text","text":"out"},{"type":"text","text":"ours"}],"details":{"journal":true}}`),
	} {
		var e row
		err := json.Unmarshal([]byte(b), &e)
		if err != nil {
			t.Fatal(err)
		}
		c.dispatch(e)
	}
	if len(c.All) != 1 || len(c.All[0].Prompts) != 0 || !slices.Equal(c.All[0].Texts, []string{"ours"}) {
		t.Errorf("%+v", c.All)
	}
}

// row1 is a row in the client's form.
func row1(id, parent, rest string) string {
	return fmt.Sprintf(`{"id":%q,"parentId":%q,"timestamp":"2026-11-29T08:00:00Z",%s}`+"\n", id, parent, rest)
}

// TestMovesBeforeAPrompt: of several moves in the tree before the next prompt only the last counts.
func TestMovesBeforeAPrompt(t *testing.T) {
	t.Parallel()
	said := func(id, parent, role, text string) string {
		return row1(id, parent, fmt.Sprintf(`"type":"message","message":{"role":%q,"content":%q,"stopReason":"stop"}`, role, text))
	}
	moved := func(id, parent string) string { return row1(id, parent, `"type":"branch_summary","summary":"s"`) }
	session := `{"type":"session","version":3,"id":"s","timestamp":"2026-11-29T08:00:00Z","cwd":"/w"}` + "\n" +
		said("a", "", "user", "one") + said("b", "a", "assistant", "One done.") +
		said("c", "b", "user", "two") + said("d", "c", "assistant", "Two done.") +
		said("e", "d", "user", "three") + said("f", "e", "assistant", "Three done.")
	for name, c := range map[string]struct {
		moves string
		want  []string // the rows of the prompts that the rewinds begin with
	}{
		"back":                  {moved("g", "d") + said("z", "g", "user", "other"), []string{"e"}},
		"back twice":            {moved("g", "d") + moved("h", "b") + said("z", "h", "user", "other"), []string{"c"}},
		"back, a part of it":    {moved("g", "b") + moved("h", "d") + said("z", "h", "user", "other"), []string{"e"}},
		"back and forth":        {moved("g", "d") + moved("h", "f") + said("z", "h", "user", "other"), nil},
		"back twice to one row": {moved("g", "d") + moved("h", "d") + said("z", "h", "user", "other"), []string{"e"}},
	} {
		all := imported(t, "", []byte(session+c.moves))
		var got []string
		for _, s := range all {
			if s.Rewind == nil {
				continue
			}
			i := slices.IndexFunc(all, func(p transcript.Step) bool { return p.IDs(1)[0] == s.Rewind.First.ID })
			if i < 0 {
				t.Fatalf("%s: no step of %+v", name, s.Rewind.First)
			}
			row, _, _ := strings.Cut(all[i].Row, " ")
			got = append(got, row)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: rewinds to %q, want %q", name, got, c.want)
		}
	}
}

// TestWhoseWords: a skill that the person named, words into a running turn, and a text of ours behind a call.
func TestWhoseWords(t *testing.T) {
	t.Parallel()
	session := `{"type":"session","version":3,"id":"s","timestamp":"2026-11-29T08:00:00Z","cwd":"/w"}` + "\n" +
		row1("a", "", `"type":"message","message":{"role":"user","content":[{"type":"text","text":"<skill name=\"door\" location=\"/s\">\nHow to.\n</skill>\n\nthe hinge"}]}`) +
		row1("b", "a", `"type":"message","message":{"role":"assistant","content":[{"type":"text","text":"First."},{"type":"toolCall","id":"1","name":"bash","arguments":{"command":"echo one"}}],"stopReason":"toolUse"}`) +
		row1("c", "b", `"type":"message","message":{"role":"toolResult","toolCallId":"1","toolName":"bash","content":[{"type":"text","text":"one"},{"type":"text","text":"ours"}],"details":{"journal":true}}`) +
		row1("d", "c", `"type":"message","message":{"role":"user","content":"and paint it"}`) +
		row1("e", "d", `"type":"message","message":{"role":"assistant","content":[],"stopReason":"error","errorMessage":"503"}`)
	got := shown(imported(t, "", []byte(session)))
	for _, want := range []string{"Text:/skill:door the hinge", "Text:and paint it", "Output:one ", "503"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if strings.Contains(got, "ours") || strings.Count(got, "TurnEnded")+strings.Count(got, "TurnFailed") != 1 {
		t.Errorf("%s", got)
	}
}

// TestFork: a fork has copied rows, which are read in the parent's file as long as there is one.
func TestFork(t *testing.T) {
	t.Parallel()
	from := filepath.Join(t.TempDir(), "2026-11-29T08-00-00-000Z_s.jsonl")
	copied := row1("a", "", `"type":"message","message":{"role":"user","content":"one"}`)
	own := `{"type":"message","id":"b","parentId":"a","timestamp":"2026-11-29T09:00:00Z","message":{"role":"user","content":"two"}}` + "\n"
	session := fmt.Sprintf(`{"type":"session","id":"f","timestamp":"2026-11-29T08:30:00Z","cwd":"/w","parentSession":%q}`+"\n", from) + copied + own
	if got := shown(imported(t, "", []byte(session))); !strings.Contains(got, "Text:one") || !strings.Contains(got, "Text:two") || !strings.Contains(got, "Source:fork") {
		t.Errorf("without the parent's file:\n%s", got)
	}
	if err := os.WriteFile(from, []byte(copied), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := shown(imported(t, "", []byte(session))); strings.Contains(got, "Text:one") || !strings.Contains(got, "Text:two") {
		t.Errorf("with it:\n%s", got)
	}
	path := filepath.Join(t.TempDir(), "f.jsonl")
	if err := os.WriteFile(path, []byte(session), 0o600); err != nil {
		t.Fatal(err)
	}
	if id, row, err := parent(path, time.Time{}); id != "s" || row != "a 2026-11-29T08:00:00Z" || err != nil {
		t.Errorf("parent %q, row %q, %v", id, row, err)
	}
}

// TestTorn: the first row is torn, and the person stopped an own command. The rest is whole.
func TestTorn(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "2026-11-29T08-00-00-000Z_s-1.jsonl")
	session := `{"type":"session","version":3,"id":"s-` + "\n" +
		row1("a", "", `"type":"message","message":{"role":"user","content":"build it"}`) +
		row1("b", "a", `"type":"message","message":{"role":"bashExecution","command":"make","output":"cc a.c","cancelled":true}`)
	head, err := skim(path, strings.NewReader(session))
	if err != nil || head.Session != "s-1" || head.Began.IsZero() {
		t.Errorf("head %+v, %v", head, err)
	}
	got := shown(imported(t, path, []byte(session)))
	for _, want := range []string{"Text:build it", "Failed:true", "cc a.c\n\n(command cancelled)"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}

func TestSkim(t *testing.T) {
	t.Parallel()
	for _, name := range names {
		if head, err := skim("", bytes.NewReader(sessionOf(t, name))); err != nil || head.Began.IsZero() || len(head.Session) != 36 {
			t.Errorf("%s: %+v, %v", name, head, err)
		}
	}
	for _, other := range []string{"", "{}", "no JSON", `{"type":"session"}`, `{"type":"session.start","id":"x","timestamp":"2026-11-29T08:00:00Z"}`} {
		if _, err := skim("", strings.NewReader(other)); err == nil {
			t.Errorf("%q is a session", other)
		}
	}
}

func FuzzReader(f *testing.F) {
	for _, name := range names {
		f.Add(sessionOf(f, name))
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
