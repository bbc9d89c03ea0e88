package owner_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"journal/cmd/testkit/testutil"
	"journal/events"
	"journal/journal/wire"
)

// agent is one that writes a transcript.
type agent struct {
	*home
	path string
	rows []map[string]any
}

func newAgent(t *testing.T) *agent {
	t.Helper()
	h := newHome(t)
	h.serve()
	c := &agent{home: h, path: filepath.Join(t.TempDir(), "transcript.jsonl")}
	c.handle(report(t, about(0), events.SessionStarted{Source: "startup", Transcript: c.path})...)
	return c
}

func (c *agent) write(rows ...map[string]any) {
	c.t.Helper()
	c.rows = append(c.rows, rows...)
	var b strings.Builder
	enc := json.NewEncoder(&b)
	for _, r := range c.rows {
		if err := enc.Encode(r); err != nil {
			c.t.Fatal(err)
		}
	}
	if err := os.WriteFile(c.path, []byte(b.String()), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

// compacts lets the client compact, and gives the recovery text that it was given.
func (c *agent) compacts(id string, at time.Duration, kept ...string) string {
	c.t.Helper()
	e := restarted(c.t, at)
	text := c.asks(e, owed(e)).Text
	c.write(map[string]any{
		"type": "system", "subtype": "compact_boundary", "uuid": id,
		"compactMetadata": map[string]any{"preservedMessages": map[string]any{"uuids": kept}},
	})
	return text
}

func (c *agent) arrives(text string) {
	c.t.Helper()
	c.write(map[string]any{"type": "attachment", "attachment": map[string]any{
		"type": "hook_additional_context", "hookEvent": "SessionStart", "content": []string{text},
	}})
}

// confirm has the transcript read now.
func (c *agent) confirm() (reply wire.Reply) {
	c.t.Helper()
	body, err := wire.Encode(wire.ConfirmRequest{Project: "p", Session: "s"})
	if err == nil {
		err = wire.Decode(c.ask(wire.Confirm, body), &reply)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	return reply
}

// receipts waits for n of them.
func (c *agent) receipts(n int) (all []events.DeliveryConfirmed) {
	c.t.Helper()
	testutil.Eventually(c.t, "the receipts", func() bool {
		all = nil
		for _, e := range c.logOf(events.TypeOf[events.DeliveryConfirmed]()) {
			ev, err := events.Open(e)
			if err != nil {
				c.t.Fatal(err)
			}
			all = append(all, ev.(events.DeliveryConfirmed))
		}
		return len(all) == n
	})
	return all
}

// The transcript's row proves that the text arrived, and what the client kept
// itself (ADR-0010).
func TestReceipts(t *testing.T) {
	t.Parallel()
	c := newAgent(t)
	remember(c.home)
	c.write(map[string]any{"type": "user", "uuid": "u1", "message": map[string]any{"content": "build the lighthouse"}})
	text := c.compacts("b1", 3*time.Second, "u1")
	c.arrives(text)
	c.handle(report(t, about(4*time.Second), events.CommandRan{Command: "make"})...)
	given := c.logOf(events.TypeOf[events.RecoveryGiven]())
	asked := c.logOf(events.TypeOf[events.PromptSubmitted]())
	want := []events.DeliveryConfirmed{{
		Recovery: given[0].Seq, Digest: c.given()[0].Digest, Whole: true, Kept: []uint64{asked[0].Seq},
	}}
	if diff := cmp.Diff(want, c.receipts(1)); diff != "" {
		t.Errorf("receipts (-want +got):\n%s", diff)
	}

	// The client loses the next one: after a whole turn that is settled.
	c.handle(prompt(t, about(5*time.Second), "and a light"))
	c.compacts("b2", 6*time.Second)
	c.handle(report(t, about(7*time.Second), events.TurnEnded{Text: "done"})...)
	c.handle(prompt(t, about(8*time.Second), "and a door"))
	if got := c.receipts(2)[1]; got.Recovery != 0 {
		t.Errorf("a receipt for a text that never arrived: %+v", got)
	}

	// Asked again, nothing is recorded twice, also by another owner.
	c.restart()
	c.serve()
	if reply := c.confirm(); reply.Error != "" {
		t.Error(reply.Error)
	}
	c.receipts(2)
}

// A subagent's text is confirmed from its own transcript, which nobody follows.
func TestReceiptOfASubagent(t *testing.T) {
	t.Parallel()
	c := newAgent(t)
	remember(c.home)
	own := filepath.Join(strings.TrimSuffix(c.path, ".jsonl"), "subagents", "agent-a1.jsonl")
	e := restarted(t, 3*time.Second)
	e.Lane = "a1"
	text := c.asks(e, owed(e)).Text
	if err := os.MkdirAll(filepath.Dir(own), 0o700); err != nil || text == "" {
		t.Fatal(text, err)
	}
	c.path = own
	c.write(
		map[string]any{"type": "system", "subtype": "compact_boundary", "uuid": "b1", "isSidechain": true},
		map[string]any{"type": "attachment", "isSidechain": true, "attachment": map[string]any{
			"type": "hook_additional_context", "hookEvent": "SessionStart", "content": []string{text},
		}},
	)
	if reply := c.confirm(); reply.Error != "" {
		t.Error(reply.Error)
	}
	if got := c.receipts(1)[0]; !got.Whole || got.Recovery == 0 {
		t.Errorf("receipt %+v", got)
	}
	if lane := c.logOf(events.TypeOf[events.DeliveryConfirmed]())[0].Lane; lane != "a1" {
		t.Errorf("the receipt is of %q", lane)
	}
}

// A text that was too long for the client is in a file, and the model saw its
// beginning.
func TestReceiptOfASpilledText(t *testing.T) {
	t.Parallel()
	c := newAgent(t)
	remember(c.home)
	text := c.compacts("b1", 3*time.Second)
	file := filepath.Join(t.TempDir(), "hook.txt")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c.arrives("<persisted-output>\nOutput too large (12KB). Full output saved to: " + file + "\n\nPreview (first 2KB):\n" + text[:20] + "\n...\n</persisted-output>")
	c.handle(report(t, about(4*time.Second), events.CommandRan{Command: "make"})...)
	got := c.receipts(1)[0]
	if got.Recovery == 0 || got.Whole || got.Preview < 20 || got.Preview > 22 {
		t.Errorf("receipt %+v", got)
	}
}

// A transcript that is gone, or not a transcript, causes no trouble.
func TestReceiptWithoutTranscript(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(c *agent){
		"gone":        func(*agent) {},
		"a directory": func(c *agent) { _ = os.Mkdir(c.path, 0o700) },
		"garbage":     func(c *agent) { _ = os.WriteFile(c.path, []byte("\x00\xff{\n\n"), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newAgent(t)
			remember(c.home)
			make(c)
			e := restarted(t, 3*time.Second)
			if c.asks(e, owed(e)).Text == "" {
				t.Error("no recovery text")
			}
			c.handle(report(t, about(4*time.Second), events.TurnEnded{Text: "done"})...)
			c.handle(prompt(t, about(5*time.Second), "go on"))
			c.confirm()
			if n := len(c.logOf(events.TypeOf[events.DeliveryConfirmed]())); n != 0 {
				t.Errorf("%d receipts", n)
			}
		})
	}
}
