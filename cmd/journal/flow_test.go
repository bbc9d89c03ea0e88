package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"journal/cmd/journal/cli"
)

// project is a world with a project, and one session in it.
type project struct {
	*world
	root, session string
	turn, uses    int
	changes       int
}

func newProject(t *testing.T) *project {
	t.Helper()
	w := newWorld(t)
	p := &project{world: w, root: filepath.Join(filepath.Dir(w.dir), "project"), session: "5f0c2c1e-9d3b-4b55-8a51-0d8c5a3b7e10"}
	if err := os.MkdirAll(filepath.Join(p.root, ".claude", "context"), 0o700); err != nil {
		t.Fatal(err)
	}
	w.env = append(w.env, "CLAUDE_PROJECT_DIR="+p.root, "JOURNAL_SESSION="+p.session)
	return p
}

// payload makes the JSON of a hook of the session.
func (p *project) payload(event string, members map[string]any) string {
	p.Helper()
	all := map[string]any{"session_id": p.session, "cwd": p.root, "hook_event_name": event, "prompt_id": "turn-" + string(rune('a'+p.turn))}
	maps.Copy(all, members)
	b, err := json.Marshal(all)
	if err != nil {
		p.Fatal(err)
	}
	return string(b)
}

func (p *project) say(event string, members map[string]any) string {
	p.Helper()
	return p.world.hook(p.payload(event, members))
}

func (p *project) prompt(text string) {
	p.Helper()
	p.turn++
	p.say("UserPromptSubmit", map[string]any{"prompt": text})
}

// put changes a file behind the agent's back.
func (p *project) put(name, content string) string {
	p.Helper()
	path := filepath.Join(p.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		p.Fatal(err)
	}
	// As if it had been some minutes ago, and later than the change before.
	p.changes++
	at := time.Now().Add(-time.Hour + time.Duration(p.changes)*time.Second)
	if err := os.Chtimes(path, at, at); err != nil {
		p.Fatal(err)
	}
	return path
}

// writes lets the agent write a file.
func (p *project) writes(name, content string) {
	p.Helper()
	path := p.put(name, content)
	p.uses++
	p.say("PostToolUse", map[string]any{
		"tool_name": "Write", "tool_use_id": "toolu_" + string(rune('a'+p.uses)),
		"tool_input": map[string]any{"file_path": path, "content": content}, "tool_response": map[string]any{"type": "create"},
	})
}

// compacts lets the client compact, and gives what the model is told after it.
func (p *project) compacts() string {
	p.Helper()
	p.say("PreCompact", map[string]any{"trigger": "auto", "custom_instructions": ""})
	out := p.say("SessionStart", map[string]any{"source": "compact"})
	p.say("PostCompact", map[string]any{"trigger": "auto", "compact_summary": "what happened"})
	if out == "" {
		return ""
	}
	var doc struct {
		Output struct {
			AdditionalContext string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		p.Fatalf("%v in %s", err, out)
	}
	return doc.Output.AdditionalContext
}

// state reads the state of a projection into v.
func (p *project) state(name string, v any) {
	p.Helper()
	out, errOut, code := p.run("", "replay", "--projection", name, "--json")
	if code != 0 {
		p.Fatalf("replay ends with %d: %s", code, errOut)
	}
	var doc struct{ States map[string]json.RawMessage }
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		p.Fatal(err)
	}
	if err := json.Unmarshal(doc.States[name], v); err != nil {
		p.Fatal(err)
	}
}

// observations are the paths of the stored observations.
func (p *project) observations() (all []string) {
	p.Helper()
	out, errOut, code := p.run("", "log", "--type", "file.observed", "--json")
	if code != 0 {
		p.Fatalf("log ends with %d: %s", code, errOut)
	}
	for line := range strings.Lines(out) {
		var e struct {
			Data struct{ Path, Missing string }
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			p.Fatal(err)
		}
		all = append(all, e.Data.Path+e.Data.Missing)
	}
	return all
}

type lastCompact struct {
	Count, Unpromoted int
	CompoundDone      bool `json:"compound_done"`
	Headings          []string
}

const (
	progressFile = ".claude/context/progress.md"
	twoNotes     = "# Progress\n\n## 2026-02-18 — the lock\n- Decision: one file\n\n## 2026-02-19 — the socket\n- Decision: a bridge\n"
)

// S1.5, S1.7, S1.13: notes that wait when the context is compacted, and that
// another hook trims at that moment, come back; `restore` gives them word for
// word.
func TestS1_7NotesThatWait(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.say("SessionStart", map[string]any{"source": "startup"})
	p.prompt("build the owner")
	p.writes(progressFile, twoNotes)
	p.say("PreCompact", map[string]any{"trigger": "auto"})
	p.put(progressFile, "# Progress\n")
	text := p.compacts()
	for _, want := range []string{"ompound had not run", "2026-02-19 — the socket", "2026-02-18 — the lock", "a bridge"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	if i, j := strings.Index(text, "the socket"), strings.Index(text, "the lock"); i > j {
		t.Error("the older note comes first")
	}
	var state lastCompact
	p.state("last-compact", &state)
	if state.Count != 1 || state.Unpromoted != 2 || state.CompoundDone || len(state.Headings) != 2 || state.Headings[0] != "2026-02-19 — the socket" {
		t.Errorf("last-compact %+v", state)
	}

	list, _, code := p.run("", "restore")
	if code != 0 || strings.Count(list, "\n") != 2 || !strings.Contains(list, "the lock") {
		t.Errorf("restore ends with %d:\n%s", code, list)
	}
	if out, _, code := p.run("", "restore", "--dropped"); code != 0 || "# Progress\n\n"+out != twoNotes {
		t.Errorf("restore --dropped ends with %d:\n%s", code, out)
	}
	path := filepath.Join(p.root, progressFile)
	if _, errOut, code := p.run("", "restore", "--dropped", "--to", path); code != 0 || errOut != "" {
		t.Fatalf("restore --to ends with %d: %s", code, errOut)
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != twoNotes {
		t.Errorf("restored, %v:\n%s", err, b)
	}
	// What still stands is not written again.
	if _, errOut, code := p.run("", "restore", "--dropped", "--to", path); code != 1 || !strings.Contains(errOut, "try:") {
		t.Errorf("restore of what stands ends with %d: %s", code, errOut)
	}
	p.say("Stop", map[string]any{"last_assistant_message": "done"})
	if out, _, _ := p.run("", "restore"); out != "" {
		t.Errorf("still dropped:\n%s", out)
	}
	for _, args := range [][]string{{"restore", "--to", path}, {"restore", "--dropped", "flow-1"}} {
		if _, _, code := p.run("", args...); code != cli.ExitUsage {
			t.Errorf("%q ends with %d", args, code)
		}
	}
	if _, errOut, code := p.run("", "restore", "flow-9999"); code != cli.ExitError || !strings.Contains(errOut, "flow-9999") {
		t.Errorf("restore of nothing ends with %d: %s", code, errOut)
	}
}

// S1.6, S1.7, S1.8: compound ran since the last compaction and after the newest
// note, so the text says so; after the next compaction it is another matter.
func TestS1_6CompoundDone(t *testing.T) {
	t.Parallel()
	for name, compound := range map[string]func(*project){
		"by the verb": func(p *project) {
			if _, errOut, code := p.run("", "compound", "done", "--promoted", "2"); code != 0 {
				p.Fatal(errOut)
			}
		},
		"by another tool's file": func(p *project) {
			p.writes(".claude/context/compound-last-run.json", `{"timestamp": "2020-01-01T00:00:00Z", "promotedCount": 2}`)
		},
		"by a command that wrote knowledge": func(p *project) {
			p.prompt("/praxis:compound")
			p.writes(".claude/context/learnings-coding.md", "## One file\n- **Confirmed**: 1x | 2026-02-19 | implement\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			p.prompt("build the owner")
			p.writes(progressFile, twoNotes)
			compound(p)
			text := p.compacts()
			if !strings.Contains(text, "ompound had run") || strings.Contains(text, "had not run") || strings.Contains(text, "the lock") {
				t.Errorf("the text:\n%s", text)
			}
			var state lastCompact
			if p.state("last-compact", &state); !state.CompoundDone || state.Unpromoted != 0 {
				t.Errorf("last-compact %+v", state)
			}
			var doc struct {
				Unpromoted int
				Entries    []any
				Last       *struct{ Promoted int }
			}
			out, _, code := p.run("", "compound", "show", "--json")
			if err := json.Unmarshal([]byte(out), &doc); err != nil || code != 0 || doc.Unpromoted != 0 || doc.Entries == nil || doc.Last == nil {
				t.Errorf("compound show ends with %d, %v: %s", code, err, out)
			}
			p.prompt("go on")
			p.writes("main.go", "package main\n")
			if text := p.compacts(); strings.Contains(text, "ompound had") {
				t.Errorf("after the next compaction:\n%s", text)
			}
		})
	}
}

// ADR-0008: with no notes there is nothing to say about compound, and
// knowledge that is written in an ordinary turn is none.
func TestNoNotesNoWordAboutCompound(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.put(".claude/context/compound-last-run.json", `{"timestamp": "2026-02-18T00:00:00Z", "promotedCount": 2}`)
	p.say("SessionStart", map[string]any{"source": "startup"})
	p.prompt("build the owner")
	p.writes(".claude/context/learnings-coding.md", "## One file\n")
	if text := p.compacts(); text == "" || strings.Contains(text, "ompound had") {
		t.Errorf("the text:\n%s", text)
	}
	var state lastCompact
	if p.state("last-compact", &state); state.CompoundDone || state.Unpromoted != 0 {
		t.Errorf("last-compact %+v", state)
	}
}

// ADR-0002, ADR-0007 rule 3: two hook processes for each hook store one observation, in
// whichever order they come.
func TestTwinsObserveOnce(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.prompt("build the owner")
	for _, content := range []string{twoNotes, "# Progress\n", twoNotes} {
		p.put(progressFile, content)
		stop := p.payload("Stop", map[string]any{"last_assistant_message": "done " + content})
		var twins sync.WaitGroup
		for range 2 {
			twins.Go(func() { p.world.hook(stop) })
		}
		twins.Wait()
	}
	if got := p.observations(); len(got) != 3 {
		t.Errorf("%d observations: %q", len(got), got)
	}
}

// S1.13 and ADR-0016 rule 2: what was redacted stays so, and is counted.
func TestRestoreOfRedactedNotes(t *testing.T) {
	t.Parallel()
	secret := "ghp_" + strings.Repeat("Ab3", 12)
	p := newProject(t)
	p.prompt("build the owner")
	p.writes(progressFile, "## 2026-02-18 — the key\n- token "+secret+"\n- more\n")
	p.put(progressFile, "")
	p.say("Stop", map[string]any{"last_assistant_message": "done"})
	out, errOut, code := p.run("", "restore", "--dropped")
	if code != 0 || strings.Contains(out, secret) || !strings.Contains(out, "- token [redacted:") || !strings.Contains(errOut, "1 redacted") {
		t.Errorf("restore ends with %d, %q:\n%s", code, errOut, out)
	}
	// The file holds the entry with its secret: that must not be overwritten.
	path := p.put("kept.md", "## 2026-02-18 — the key\n- token "+secret+"\n")
	if _, errOut, code := p.run("", "restore", "--dropped", "--to", path); code != cli.ExitError || !strings.Contains(errOut, "still has") {
		t.Errorf("restore --to ends with %d: %s", code, errOut)
	}
}

// `journal note` records an entry that waits like any other.
func TestNotes(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.prompt("build the owner")
	if _, errOut, code := p.run("", "note", "keep", "it", "small", "--heading", "size"); code != 0 {
		t.Fatal(errOut)
	}
	var flow struct {
		Unpromoted int
		Entries    []struct{ File, Heading, Text string }
	}
	p.state("flow", &flow)
	if flow.Unpromoted != 1 || flow.Entries[0].Heading != "size" || flow.Entries[0].Text != "keep it small" || flow.Entries[0].File != "" {
		t.Errorf("flow %+v", flow)
	}
	if out, _, code := p.run("", "compound", "show"); code != 0 || !strings.Contains(out, "not reviewed: 1") || !strings.Contains(out, "size") {
		t.Errorf("compound show ends with %d:\n%s", code, out)
	}
	for _, args := range [][]string{{"note"}, {"note", " "}, {"compound", "done", "--promoted", "-1"}} {
		if _, _, code := p.run("", args...); code != cli.ExitUsage {
			t.Errorf("%q ends with %d", args, code)
		}
	}
}

// S3.1, S3.2, S3.4, S3.8: the skill's own file comes back to its session, to no
// other, and not after its end.
func TestS3_1SkillFile(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.prompt("/cpm:discover")
	name := "docs/plans/.cpm-progress-" + p.session + ".md"
	p.writes(name, "# CPM Session State\n\n**Skill**: cpm:discover\n**Phase**: 2 — Who\n**Output target**: docs/brief.md\n\n"+
		"## Completed Phases\n### 1 — Why\nBecause of the lock.\n\n## Next Action\nAsk for roles.\n")
	text := p.compacts()
	for _, want := range []string{"cpm:discover", "2 — Who", "docs/brief.md", "1 — Why", "Because of the lock.", "Ask for roles."} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	own := p.session
	p.session = "00000000-0000-4000-8000-000000000000"
	p.prompt("something else")
	if text := p.compacts(); strings.Contains(text, "cpm:discover") {
		t.Errorf("another session is told:\n%s", text)
	}
	p.session = own
	if err := os.Remove(filepath.Join(p.root, name)); err != nil {
		t.Fatal(err)
	}
	p.prompt("go on")
	p.writes("main.go", "package main\n")
	if text := p.compacts(); text == "" || strings.Contains(text, "Ask for roles") {
		t.Errorf("after the end of the skill:\n%s", text)
	}
}

// JOURNAL_NOTES names more directories with such files.
func TestMoreNotes(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.env = append(p.env, "JOURNAL_NOTES=notes")
	p.put("notes/progress.md", twoNotes)
	p.prompt("build the owner")
	p.say("Stop", map[string]any{"last_assistant_message": "done"})
	if got := p.observations(); len(got) != 1 || got[0] != "notes/progress.md" {
		t.Errorf("observations %q", got)
	}
}

// S1.11: whatever stands at the path of the notes, the hook goes on. What keeps its parser busy for longer than a look
// may take is said to be out of time.
func TestS1_11BrokenNotes(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.keepsTime()
	p.put(progressFile, "## One\n\x00")
	p.put(".claude/context/compound-last-run.json", "{")
	p.put(".claude/context/learnings-a.md/file", "")
	p.put("docs/plans/.cpm-progress.md", strings.Repeat(">", 100_000)+"\n## Next Action\n")
	p.prompt("build the owner")
	want := []string{progressFile + "binary", "compound-last-run.jsonmalformed", "learnings-a.mdnot a regular file", ".cpm-progress.mdout of time"}
	stops, left := 0, want
	for ; len(left) > 0 && stops < 10; stops++ {
		// The second look goes on after the file that kept the first one busy.
		p.say("Stop", map[string]any{"last_assistant_message": "done " + string(rune('a'+stops))})
		got := strings.Join(p.observations(), "\n")
		left = slices.DeleteFunc(slices.Clone(want), func(w string) bool { return strings.Contains(got, w) })
	}
	if len(left) > 0 {
		t.Errorf("not observed: %q", left)
	}
	var turns struct{ Turns int }
	if p.state("session", &turns); turns.Turns != stops {
		t.Errorf("%d turns", turns.Turns)
	}
}

// The notes are the project's: what the person was advised of in one session is
// not said again in the next (S1.2).
func TestS1_2AdviceOncePerSetOfNotes(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	stop := func() string { return p.say("Stop", map[string]any{"last_assistant_message": "done"}) }
	p.put(".claude/context/progress.md", "# Progress\n\n## one\nfirst\n")
	p.prompt("begin")
	if got := stop(); !strings.Contains(got, "one") {
		t.Fatalf("no advice: %q", got)
	}
	if got := stop(); got != "" {
		t.Errorf("the advice comes again: %q", got)
	}
	p.session = "after-clear"
	p.prompt("go on")
	if got := stop(); got != "" {
		t.Errorf("the advice comes again in another session: %q", got)
	}
	p.put(".claude/context/progress.md", "# Progress\n\n## one\nfirst\n\n## two\nsecond\n")
	if got := stop(); !strings.Contains(got, "two") {
		t.Errorf("no advice of a new note: %q", got)
	}
	p.session = "third"
	if got := stop(); got != "" {
		t.Errorf("the advice of the new note comes again: %q", got)
	}
}
