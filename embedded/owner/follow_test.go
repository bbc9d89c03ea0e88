package owner_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"journal/cmd/testkit/testutil"
	"journal/events"
	"journal/journal/wire/client"
)

// talk is a session whose transcript tells what no hook tells.
type talk struct {
	*home
	path string
	n    int // rows, for ids and times
}

func newTalk(t *testing.T) *talk {
	t.Helper()
	h := newHome(t)
	h.serve()
	c := &talk{home: h, path: filepath.Join(t.TempDir(), "s.jsonl")}
	c.handle(report(t, about(0), events.SessionStarted{Source: "startup", Transcript: c.path})...)
	return c
}

// row is one row with what every row of a conversation has.
func (c *talk) row(kind string, content any) string {
	c.t.Helper()
	c.n++
	b, err := json.Marshal(map[string]any{
		"type": kind, "uuid": fmt.Sprintf("u%d", c.n), "sessionId": "s", "cwd": "/p",
		"timestamp": time.Unix(0, about(time.Duration(c.n)*time.Second).At).UTC(), "message": map[string]any{"content": content},
	})
	if err != nil {
		c.t.Fatal(err)
	}
	return string(b) + "\n"
}

// refuses gives the rows of a call that the person refuses with some words.
func (c *talk) refuses(words string) string {
	c.t.Helper()
	use := fmt.Sprintf("toolu_%d", c.n)
	return c.row("assistant", []any{map[string]any{"type": "tool_use", "id": use, "name": "Bash", "input": map[string]any{"command": "git push"}}}) +
		c.row("user", []any{map[string]any{"type": "tool_result", "tool_use_id": use, "is_error": true,
			"content": "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:\n" + words}})
}

// adds appends to the transcript.
func (c *talk) adds(rows string) {
	c.t.Helper()
	f, err := os.OpenFile(c.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		c.t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(rows); err != nil {
		c.t.Fatal(err)
	}
}

// works lets a hook tell something, after which the owner looks.
func (c *talk) works() {
	c.t.Helper()
	c.n++
	c.handle(report(c.t, about(time.Duration(c.n)*time.Second), events.CommandRan{Command: fmt.Sprint("make ", c.n)})...)
}

// words are those of the refusals in the log.
func (c *talk) words() (all []string) {
	c.t.Helper()
	for _, e := range c.logOf(events.TypeOf[events.ToolRefused]()) {
		ev, err := events.Open(e)
		if err != nil {
			c.t.Fatal(err)
		}
		all = append(all, ev.(events.ToolRefused).Words)
	}
	return all
}

// wants works and waits until the log holds refusals with these words and no others,
// also after another owner has read everything again.
func (c *talk) wants(words ...string) {
	c.t.Helper()
	c.works()
	testutil.Eventually(c.t, "the refusals", func() bool { return len(c.words()) >= len(words) })
	if diff := cmp.Diff(words, c.words()); diff != "" {
		c.t.Errorf("refusals (-want +got):\n%s", diff)
	}
}

// subagent begins the transcript of a subagent.
func (c *talk) subagent(lane, task string) {
	c.t.Helper()
	dir := filepath.Join(strings.TrimSuffix(c.path, ".jsonl"), "subagents")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		c.t.Fatal(err)
	}
	write(c.t, filepath.Join(dir, "agent-"+lane+".jsonl"),
		`{"type":"user","uuid":"k1","agentId":"`+lane+`","isSidechain":true,"sessionId":"s","message":{"content":"`+task+`"}}`+"\n")
}

// passes waits until the transcript is passed up to its end.
func (c *talk) passes() {
	c.t.Helper()
	info, err := os.Stat(c.path)
	if err != nil {
		c.t.Fatal(err)
	}
	testutil.Eventually(c.t, "what is passed", func() bool {
		for _, e := range c.logOf(events.TypeOf[events.TranscriptSkipped]()) {
			if ev, err := events.Open(e); err == nil && ev.(events.TranscriptSkipped).Offset == info.Size() {
				return true
			}
		}
		return false
	})
}

func (c *talk) another() {
	c.t.Helper()
	c.restart() // reads to the end before it leaves
	c.serve()
}

// What no hook tells is read from the transcript, once, redacted, whoever owns the log.
func TestTranscriptIsFollowed(t *testing.T) {
	t.Parallel()
	c := newTalk(t)
	c.adds(c.row("user", "hello") + c.refuses("not with "+secret()+" <private>my name</private>, please"))
	c.works()
	testutil.Eventually(t, "a refusal", func() bool { return len(c.words()) == 1 })
	if got := c.words()[0]; strings.Contains(got, secret()) || strings.Contains(got, "my name") || !strings.Contains(got, "please") {
		t.Errorf("words %q", got)
	}
	first := c.words()[0]

	// Half a row is no row, and its rest comes later.
	rows := c.refuses("not yet") + c.row("user", []any{map[string]any{"type": "text", "text": "[Request interrupted by user]"}})
	c.adds(rows[:len(rows)-20])
	c.wants(first, "not yet")
	c.adds(rows[len(rows)-20:])
	c.works()
	testutil.Eventually(t, "the interruption", func() bool { return len(c.logOf(events.TypeOf[events.TurnInterrupted]())) == 1 })

	// What is written while nobody looks any more is read when the owner leaves.
	c.adds(c.refuses("never") + c.row("user", "<bash-input>git pull</bash-input>") + c.row("user", "<bash-stdout>ok</bash-stdout><bash-stderr></bash-stderr>"))
	c.another()
	c.wants(first, "not yet", "never")
	c.another()
	c.wants(first, "not yet", "never")
	person := 0
	for _, e := range c.logOf(events.TypeOf[events.CommandRan]()) {
		if ev, err := events.Open(e); err == nil && ev.(events.CommandRan).Person {
			person++
		}
	}
	if n := len(c.logOf(events.TypeOf[events.TurnInterrupted]())); person != 1 || n != 1 {
		t.Errorf("%d commands of the person, %d interruptions", person, n)
	}
}

// An answer knows what was said before the hook that asks: the rows are read first. On a
// machine that is busy that may take longer than anybody is kept waiting, now and then.
func TestAnswerKnowsTheTranscript(t *testing.T) {
	t.Parallel()
	c := newTalk(t)
	c.adds(c.row("user", "hello"))
	n := 0
	testutil.Eventually(t, "a refusal before the question", func() bool {
		n++
		c.adds(c.refuses("never push"))
		e := restarted(t, time.Duration(n)*time.Minute)
		c.asks(e, owed(e))
		said, asked := c.logOf(events.TypeOf[events.ToolRefused]()), c.logOf(e.Type)
		return len(said) == n && said[n-1].Seq < asked[n-1].Seq
	})
}

// A rewritten transcript is read again, and nothing is told twice.
func TestRewrittenTranscript(t *testing.T) {
	t.Parallel()
	for name, rewrite := range map[string]func(c *talk, rows string) error{
		"in place": func(c *talk, rows string) error { return os.WriteFile(c.path, []byte(rows), 0o600) },
		"replaced": func(c *talk, rows string) error {
			if err := os.WriteFile(c.path+".new", []byte(rows), 0o600); err != nil {
				return err
			}
			return os.Rename(c.path+".new", c.path)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newTalk(t)
			old := c.refuses("one")
			c.adds(c.row("user", "a long beginning "+strings.Repeat("x", 1000)) + old)
			c.wants("one")
			if err := rewrite(c, old+c.refuses("two")); err != nil {
				t.Fatal(err)
			}
			c.wants("one", "two")
			if err := os.Remove(c.path); err != nil {
				t.Fatal(err)
			}
			c.works()
			c.adds(c.refuses("three"))
			c.wants("one", "two", "three")
		})
	}
}

// What a session's transcript shows at its end is read also where the owner was killed before it read on: the session has no
// further event.
func TestEndAtWhichTheOwnerWasKilled(t *testing.T) {
	t.Parallel()
	c := newTalk(t)
	c.handle(report(t, about(time.Minute), events.SessionEnded{})...)
	c.close()
	if err := os.Remove(filepath.Join(c.dir, "clean")); err != nil {
		t.Fatal(err)
	}
	c.adds(c.row("user", "hello") + c.refuses("never push"))
	c.open()
	c.serve()
	m := about(time.Hour)
	m.Session = "another"
	c.handle(report(t, m, events.CommandRan{Command: "make"})...)
	testutil.Eventually(t, "the refusal", func() bool { return len(c.words()) == 1 })
}

// Transcripts of more sessions than are followed at once are all read, as when a spool is drained that many filled.
func TestManySessionsAtOnce(t *testing.T) {
	t.Parallel()
	const sessions = 40
	c := &talk{home: newHome(t)}
	for n := range sessions {
		m := about(0)
		m.Session = numbered(n)
		c.path = filepath.Join(t.TempDir(), "s.jsonl")
		c.adds(c.row("user", "hello") + c.refuses(m.Session))
		c.leave(0, report(t, m, events.SessionStarted{Source: "startup", Transcript: c.path}, events.SessionEnded{})...)
	}
	c.serve()
	testutil.Eventually(t, "the refusals", func() bool { return len(c.words()) == sessions })
}

// A command that ran when the client was killed is told as interrupted when the session is resumed, also where its transcript
// is too long to be read before that is answered.
func TestKilledInALongTranscript(t *testing.T) {
	t.Parallel()
	c := newTalk(t)
	c.close()
	c.adds(c.row("user", strings.Repeat("y", 2<<20)) +
		c.row("assistant", []any{map[string]any{"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": map[string]any{"command": "make all"}}}))
	c.open()
	c.serve()
	e := report(t, about(time.Hour), events.SessionStarted{Source: "resume", Transcript: c.path})[0]
	c.asks(e, owed(e))
	testutil.Eventually(t, "the command", func() bool { return len(c.logOf(events.TypeOf[events.CommandRan]())) == 1 })
}

// A path may name anything; nothing but a file is read, and nobody waits.
func TestOddTranscripts(t *testing.T) {
	t.Parallel()
	c := newTalk(t)
	for _, path := range []string{t.TempDir(), os.DevNull, "relative.jsonl", filepath.Join(t.TempDir(), "none")} {
		c.handle(report(t, about(0), events.SessionStarted{Source: "resume", Transcript: path})...)
		c.works()
	}
	c.handle(report(t, about(0), events.SessionStarted{Source: "resume", Transcript: c.path})...)
	c.adds("no row\n{\"type\":\"user\n" + strings.Repeat("x", 3<<20) + "\n" + c.row("user", strings.Repeat("y", 3<<20)) + c.refuses("one"))
	c.wants("one")
}

// Rows of a pause are never read: not when it is lifted, not by another owner, and not
// when the file is rewritten. Nothing but the log remembers that (ADR-0017).
func TestPausedTranscript(t *testing.T) {
	t.Parallel()
	for name, left := range map[string]bool{"while an owner is there": false, "while none is": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newTalk(t)
			before := c.row("user", "hello") + c.refuses("before")
			c.adds(before)
			c.wants("before")
			c.handle(report(t, about(time.Hour), events.RecordingPaused{})...)
			m := about(time.Hour)
			m.Lane = "a1"
			c.handle(report(t, m, events.SubagentStarted{AgentType: "Explore"})...)
			if _, err := client.Pause(c.dir, "p"); err != nil {
				t.Fatal(err)
			}
			if left {
				c.close()
			}
			secret := c.refuses("in the pause")
			c.adds(secret)
			c.subagent("a1", "a task of the pause")
			if left {
				c.open()
				c.serve()
			}
			if _, _, err := client.Resume(c.dir, "p"); err != nil {
				t.Fatal(err)
			}
			c.handle(report(t, about(time.Hour), events.RecordingResumed{})...)
			c.works()
			c.passes()
			after := c.refuses("after")
			c.adds(after)
			c.wants("before", "after")
			c.another()
			c.adds(c.refuses("later"))
			c.wants("before", "after", "later")
			if err := os.WriteFile(c.path, []byte("\n"+before+secret+after), 0o600); err != nil {
				t.Fatal(err)
			}
			c.works()
			c.passes()
			c.another()
			c.adds(c.refuses("last"))
			c.wants("before", "after", "later", "last")
			if got := c.logOf(events.TypeOf[events.SubagentTasked]()); len(got) > 0 {
				t.Errorf("tasks of the pause: %+v", got)
			}
		})
	}
}

// What was said before the session was recorded is for an import.
func TestTranscriptOfAResumedSession(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.serve()
	c := &talk{home: h, path: filepath.Join(t.TempDir(), "s.jsonl")}
	c.adds(c.refuses("long ago"))
	c.handle(report(t, about(0), events.SessionStarted{Source: "resume", Transcript: c.path})...)
	c.passes()
	c.adds(c.refuses("now"))
	c.wants("now")
	c.another()
	c.wants("now")
}

// The task of a subagent stands in its own transcript while it works; the hook that
// tells it when it has answered is an echo. That it works in the background is news.
func TestTaskOfASubagent(t *testing.T) {
	t.Parallel()
	c := newTalk(t)
	c.adds(c.row("user", "hello"))
	m := about(time.Minute)
	m.Lane = "a1"
	c.handle(report(t, m, events.SubagentStarted{AgentType: "Explore"})...)
	c.subagent("a1", "look around")
	tasks := func() []events.Envelope { return c.logOf(events.TypeOf[events.SubagentTasked]()) }
	c.works()
	testutil.Eventually(t, "the task", func() bool { return len(tasks()) == 1 })
	c.handle(report(t, about(2*time.Minute), events.SubagentTasked{Lane: "a1", Text: "look around", Use: "toolu_9"})...)
	c.handle(report(t, about(3*time.Minute), events.SubagentTasked{Lane: "a1", Text: "look around", Use: "toolu_8", Background: true})...)
	if got := tasks(); len(got) != 3 || got[1].EchoOf != got[0].Seq || got[2].EchoOf != 0 {
		t.Errorf("tasks %+v", got)
	}
}

// A refusal that a hook tells as well, as some clients' do, is one: whoever is first.
func TestRefusalThatAHookTells(t *testing.T) {
	t.Parallel()
	c := newTalk(t)
	c.adds(c.row("user", "hello"))
	c.n = 100
	c.handle(report(t, about(time.Minute), events.ToolRefused{Tool: "Bash", Words: "by a hook", Use: "toolu_100"})...)
	c.adds(c.refuses("by the transcript"))
	c.wants("by a hook")

	c.adds(c.refuses("by the transcript first"))
	c.wants("by a hook", "by the transcript first")
	first := c.logOf(events.TypeOf[events.ToolRefused]())[1]
	m := about(time.Hour)
	m.Key = first.Key
	c.handle(report(t, m, events.ToolRefused{Tool: "Bash", Words: "by the transcript first"})...)
	if got := c.logOf(events.TypeOf[events.ToolRefused]()); len(got) != 3 || got[2].EchoOf != first.Seq || first.Key == "" {
		t.Errorf("what the hook told is no echo: %+v", got)
	}
}
