package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"journal/cmd/testkit/testutil"
	"journal/journal/agents/backfill"
)

const hooked = "10cf952f-5ea0-426b-8bba-de006d0da81e"

// payloads are the hooks of the recorded session.
func payloads(t *testing.T) (lines []string) {
	t.Helper()
	b, err := os.ReadFile(recorded)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		lines = append(lines, strings.TrimSpace(line))
	}
	return lines
}

// transcriptOf writes the rows that the client has beside its hooks.
func transcriptOf(t *testing.T, lines []string) string {
	t.Helper()
	file := testutil.Transcript{Session: hooked}
	said := func(content any) map[string]any { return map[string]any{"content": content} }
	for _, line := range lines {
		var p struct {
			Event   string          `json:"hook_event_name"`
			Turn    string          `json:"prompt_id"`
			Source  string          `json:"source"`
			Prompt  string          `json:"prompt"`
			Tool    string          `json:"tool_name"`
			Use     string          `json:"tool_use_id"`
			Input   json.RawMessage `json:"tool_input"`
			Result  json.RawMessage `json:"tool_response"`
			Error   string          `json:"error"`
			Trigger string          `json:"trigger"`
			Summary string          `json:"compact_summary"`
			Answer  string          `json:"last_assistant_message"`
		}
		if err := json.Unmarshal([]byte(line), &p); err != nil {
			t.Fatal(err)
		}
		switch p.Event {
		case "UserPromptSubmit":
			file.Row("user", map[string]any{"promptId": p.Turn, "message": said(p.Prompt)})
		case "PostToolUse", "PostToolUseFailure":
			file.Row("assistant", map[string]any{"message": said([]any{map[string]any{"type": "tool_use", "id": p.Use, "name": p.Tool, "input": p.Input}})})
			result := map[string]any{"type": "tool_result", "tool_use_id": p.Use, "content": p.Error, "is_error": p.Event == "PostToolUseFailure"}
			file.Row("user", map[string]any{"promptId": p.Turn, "message": said([]any{result}), "toolUseResult": p.Result})
		case "PreCompact":
			file.Row("system", map[string]any{"subtype": "compact_boundary", "compactMetadata": map[string]any{"trigger": p.Trigger}})
		case "PostCompact":
			file.Row("user", map[string]any{"isCompactSummary": true, "message": said(p.Summary)})
		case "Stop":
			file.Row("assistant", map[string]any{"message": map[string]any{"stop_reason": "end_turn", "content": []any{map[string]any{"type": "text", "text": p.Answer}}}})
		}
	}
	return file.String()
}

// old takes from hooks what clients of 2025 did not tell: the ids of prompts and
// tool calls, and the words at the end of a turn (docs/CLIENTS.md §11).
func old(lines []string) (all []string) {
	for _, line := range lines {
		var p map[string]any
		if json.Unmarshal([]byte(line), &p) != nil {
			continue
		}
		delete(p, "tool_use_id")
		delete(p, "prompt_id")
		delete(p, "last_assistant_message")
		b, _ := json.Marshal(p) // what was JSON is
		all = append(all, string(b))
	}
	return all
}

// imported is what an import says of itself.
func (w *world) imported(path string) (doc backfill.Summary) {
	w.Helper()
	out, errOut, code := w.run("", "import", "--json", path)
	if code != 0 {
		w.Fatalf("import ends with %d: %s", code, errOut)
	}
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		w.Fatal(err)
	}
	return doc
}

// happened lists what happened, by session: tool calls, prompts and compactions in
// their order.
func (w *world) happened() map[string][]string {
	w.Helper()
	all := map[string][]string{}
	for _, e := range w.events() {
		if e.EchoOf != 0 {
			continue
		}
		s := ""
		switch e.Type {
		case "prompt.submitted":
			s = fmt.Sprint(e.Data["text"])
		case "command.ran":
			s = fmt.Sprint("$ ", e.Data["command"])
		case "file.read", "file.written":
			s = fmt.Sprint(e.Type, " ", e.Data["path"])
		case "compaction.completed":
			s = "compaction"
		case "turn.ended":
			s = fmt.Sprint("= ", e.Data["text"])
		case "session.gap", "session.linked":
			s = e.Type
		}
		if s != "" {
			all[e.Session] = append(all[e.Session], s)
		}
	}
	return all
}

// Whatever part of a session hooks told, an import adds the rest and nothing else:
// what lies before to the predecessor, what lies after to the session, what lies
// between apart. A second import adds nothing (ADR-0011, J.5).
func TestImportOfHookedSession(t *testing.T) {
	t.Parallel()
	lines := payloads(t)
	whole := newWorld(t)
	file := filepath.Join(t.TempDir(), hooked+".jsonl")
	if err := os.WriteFile(file, []byte(transcriptOf(t, lines)), 0o600); err != nil {
		t.Fatal(err)
	}
	whole.imported(file)
	all := whole.happened()[hooked]
	if len(all) != 14 {
		t.Fatalf("the whole transcript says %q", all)
	}
	n := len(lines)
	for _, c := range []struct {
		name           string
		hooks          []string
		before, missed bool
		gaps           int
		wordless       bool // hooks did not tell answers
	}{
		{name: "all", hooks: lines},
		{name: "from the middle", hooks: lines[n/2:], before: true},
		{name: "up to the middle", hooks: lines[:n/2]},
		{name: "from behind the first compaction", hooks: lines[21:], before: true},
		{name: "without the middle", hooks: slices.Concat(lines[:9], lines[21:]), missed: true, gaps: 1},
		{name: "only the middle", hooks: lines[9:21], before: true},
		{name: "an old client, all", hooks: old(lines), wordless: true},
		{name: "an old client, from the middle", hooks: old(lines[n/2:]), before: true, wordless: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			for _, line := range c.hooks {
				w.hook(line)
			}
			doc := w.imported(file)
			if got := doc.Files[0]; got.Before > 0 != c.before || got.Missed > 0 != c.missed || doc.Gaps != c.gaps {
				t.Errorf("imported %+v", got)
			}
			parts := w.happened()
			told := func(session string) (told []string) {
				for _, s := range parts[session] {
					if s != "session.gap" && s != "session.linked" {
						told = append(told, s)
					}
				}
				return told
			}
			got := slices.Concat(told(hooked+"~1"), told(hooked))
			if c.missed {
				got = told(hooked)
				at := slices.Index(all, told(hooked + "~2")[0])
				got = slices.Insert(got, at, told(hooked+"~2")...)
			}
			want := slices.Clone(all)
			if c.wordless {
				answer := func(s string) bool { return strings.HasPrefix(s, "= ") }
				want, got = slices.DeleteFunc(want, answer), slices.DeleteFunc(got, answer)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("what happened (-in the transcript +in the log):\n%s", diff)
			}
			if again := w.imported(file); again.Events != 0 {
				t.Errorf("a second import adds %d events: %v", again.Events, again.Types)
			}
		})
	}
}

// A session that grew since it was imported goes on where it was.
func TestImportGrows(t *testing.T) {
	t.Parallel()
	rows := strings.SplitAfter(strings.TrimSpace(transcriptOf(t, payloads(t)))+"\n", "\n")
	w, whole := newWorld(t), newWorld(t)
	file := filepath.Join(t.TempDir(), hooked+".jsonl")
	for _, n := range []int{3, 3, 8, 14, 20, 26, len(rows)} {
		if err := os.WriteFile(file, []byte(strings.Join(rows[:n], "")), 0o600); err != nil {
			t.Fatal(err)
		}
		w.imported(file)
	}
	whole.imported(file)
	if diff := cmp.Diff(whole.happened(), w.happened()); diff != "" {
		t.Errorf("what happened (-at once +by and by):\n%s", diff)
	}
}

// Compactions of which a client told no summary get theirs from the transcript, and the audit
// matches with it; in the import's own words they are known.
func TestImportOfSummaries(t *testing.T) {
	t.Parallel()
	lines := payloads(t)
	file := filepath.Join(t.TempDir(), hooked+".jsonl")
	if err := os.WriteFile(file, []byte(transcriptOf(t, lines)), 0o600); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	for _, line := range lines {
		if !strings.Contains(line, `"PostCompact"`) {
			w.hook(line)
		}
	}
	audited := func() (summaries []bool) {
		out, errOut, code := w.run("", "audit", "--json", "--session", hooked)
		if code != 0 {
			t.Fatal(errOut)
		}
		var doc struct {
			Compactions []struct {
				Summary bool `json:"has_summary"`
			}
		}
		if err := json.Unmarshal([]byte(out), &doc); err != nil {
			t.Fatal(err)
		}
		for _, c := range doc.Compactions {
			summaries = append(summaries, c.Summary)
		}
		return summaries
	}
	if got := audited(); !slices.Equal(got, []bool{false, false}) {
		t.Fatalf("before: %v", got)
	}
	out, errOut, code := w.run("", "import", file)
	if code != 0 {
		t.Fatal(errOut)
	}
	for _, said := range []string{`compactions +2\n`, `  new +0\n`, `  known, recorded by hooks +2\n`, `summaries hooks did not report +2\n`} {
		if !regexp.MustCompile(said).MatchString(out) {
			t.Errorf("the import does not say %q:\n%s", said, out)
		}
	}
	if got := audited(); !slices.Equal(got, []bool{true, true}) {
		t.Errorf("after: %v", got)
	}
	if again := w.imported(file); again.Events != 0 {
		t.Errorf("a second import adds %v", again.Types)
	}
}
