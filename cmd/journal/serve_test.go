package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"journal/cmd/testkit/testutil"
	"journal/events"
)

// serving runs `journal serve --listen` until the test ends, and gives the path
// of the NATS context that it wrote.
func (w *world) serving() string {
	w.Helper()
	c := w.command("serve", "--listen", "127.0.0.1:0")
	out, err := c.StdoutPipe()
	if err != nil {
		w.Fatal(err)
	}
	if err := c.Start(); err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() {
		_ = c.Process.Signal(os.Interrupt)
		if err := c.Wait(); err != nil {
			w.Errorf("serve ends with %v", err)
		}
	})
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if path, ok := strings.CutPrefix(lines.Text(), "context "); ok {
			return path
		}
	}
	w.Fatal("serve ended without naming its context")
	return ""
}

// The example of docs/FORMAT.md reads compressed messages and others with a client of
// NATS and nothing of ours, and what it reads is what export gives.
func TestExampleReadsTheLog(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, text := range []string{"short", strings.Repeat("a long prompt ", 100), strings.Repeat("ein noch längerer Wunsch ", 900)} {
		w.hook(prompt("s1", text))
	}
	at := w.serving()
	out, err := exec.CommandContext(t.Context(), "go", "run", "../../docs/examples/read-log", at, "../../journal/record/dictionaries").Output()
	if err != nil {
		t.Fatal(err)
	}
	type event struct {
		Seq  uint64 `json:"seq"`
		Type string `json:"type"`
		Data struct{ Text string }
		Body struct{ Text string }
	}
	read := func(lines string) (all []event) {
		for line := range strings.Lines(lines) {
			var e event
			if err := json.Unmarshal([]byte(line), &e); err != nil {
				t.Fatal(err)
			}
			e.Data.Text, e.Body.Text = e.Data.Text+e.Body.Text, ""
			all = append(all, e)
		}
		return all
	}
	exported, _, _ := w.run("", "export")
	got, want := read(string(out)), read(exported)
	if diff := cmp.Diff(want, got); diff != "" || len(want) < 3 {
		t.Errorf("the example reads other events than export gives (-want +got):\n%s", diff)
	}
}

// A plain NATS program with the context that serve writes lists the stream, reads
// an event and appends one; it cannot write to the log itself (ADR-0030 rule 3).
func TestServeLetsPlainNATSToolsIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.hook(`{"session_id":"s1","hook_event_name":"UserPromptSubmit","prompt":"read me","cwd":"/"}`)
	path := w.serving()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var conf struct{ URL, User, Password string }
	if err := json.Unmarshal(b, &conf); err != nil {
		t.Fatal(err)
	}
	for name, given := range map[string][]nats.Option{
		"no credential":   nil,
		"a guess":         {nats.UserInfo(conf.User, "guess")},
		"the owner's own": {nats.UserInfo("owner", conf.Password)},
	} {
		if nc, err := nats.Connect(conf.URL, given...); err == nil {
			nc.Close()
			t.Errorf("the port lets in %s", name)
		}
	}
	nc, err := nats.Connect(conf.URL, nats.UserInfo(conf.User, conf.Password))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), testutil.Patience)
	defer cancel()
	var streams []string
	for name := range js.StreamNames(ctx).Name() {
		streams = append(streams, name)
	}
	if len(streams) != 1 || streams[0] != "JOURNAL_1" {
		t.Fatalf("streams: %q", streams)
	}
	cons, err := js.OrderedConsumer(ctx, streams[0], jetstream.OrderedConsumerConfig{FilterSubjects: []string{"journal.*.s1.prompt.submitted"}})
	if err != nil {
		t.Fatal(err)
	}
	m, err := cons.Next()
	if err != nil {
		t.Fatal(err)
	}
	e, err := events.Decode(m.Data(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if ev, err := events.Open(e); err != nil || ev.(events.PromptSubmitted).Text != "read me" {
		t.Errorf("read %v, error %v", ev, err)
	}

	ask := func(body string) map[string]any {
		t.Helper()
		m, err := nc.RequestWithContext(ctx, "JOURNAL.v1.append", []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		var reply map[string]any
		if err := json.Unmarshal(m.Data, &reply); err != nil {
			t.Fatalf("%s: %v", m.Data, err)
		}
		return reply
	}
	if r := ask(`{"type":"decision.recorded","data":{"text":"from afar"},"session":"s1"}`); r["seqs"] == nil || r["error"] != nil {
		t.Errorf("append answers %v", r)
	}
	if r := ask(`{"type":"decision.recorded","data":{"txt":"from afar"}}`); r["refused"] != true || !strings.Contains(r["error"].(string), "txt") {
		t.Errorf("an unknown field is answered %v", r)
	}
	if r := ask(`{"type":"recovery.sent"}`); r["refused"] != true {
		t.Errorf("a reserved type is answered %v", r)
	}
	for _, malformed := range []string{`{`, `{} {}`, `{"type":7}`, `{"type":"decision.recorded","dta":{}}`} {
		if r := ask(malformed); r["refused"] != true || r["error"] == "" || r["seqs"] != nil {
			t.Errorf("%s is answered %v", malformed, r)
		}
	}
	if err := nc.Publish("journal.p.s1.turn.ended", []byte("x")); err != nil {
		t.Error(err) // the server refuses, after the fact
	}
	short, done := context.WithTimeout(ctx, 200*time.Millisecond) // a refused publish has no answer
	defer done()
	if _, err := js.Publish(short, "journal.p.s1.turn.ended", []byte("x"), jetstream.WithRetryAttempts(0)); err == nil {
		t.Error("a tool published to the log itself")
	}
	out, _, _ := w.run("", "log", "--session", "s1", "--type", "decision.recorded")
	if strings.Count(out, "\n") != 1 || !strings.Contains(out, "from afar") {
		t.Errorf("log:\n%s", out)
	}
	if out, _, _ := w.run("", "log", "--type", "turn.ended"); out != "" {
		t.Errorf("a tool wrote to the log itself:\n%s", out)
	}
	if fi, err := os.Stat(path); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("the file with the credential has mode %v, error %v", fi.Mode(), err)
	}
}

// serve takes the log over from the owner in the background, leaves nothing behind that is useless without it, and the
// next hook has an owner in the background again.
func TestServeTakesOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.hook(prompt("s1", "0"))
	background := w.owner().Pid
	stop := make(chan func(), 1)
	t.Run("serving", func(t *testing.T) {
		inner := *w
		inner.T = t
		path := inner.serving()
		if now := inner.owner().Pid; now == background {
			t.Error("the owner in the background is still there")
		}
		inner.hook(prompt("s1", "1"))
		stop <- func() {
			if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
				w.Errorf("the context is left: %v", err)
			}
		}
	})
	(<-stop)()
	w.hook(prompt("s1", "2"))
	w.owner()
	w.once(3)
}
