package owner_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"journal/cmd/testkit/ownertest"
	"journal/cmd/testkit/testutil"
	"journal/embedded"
	"journal/embedded/owner"
	"journal/embedded/owner/answers"
	"journal/embedded/store/ownership"
	"journal/events"
	"journal/journal"
	_ "journal/journal/agents/all"
	"journal/journal/redact"
	"journal/journal/spool"
	"journal/journal/wire"
	"journal/journal/wire/client"
)

// home is a journal directory and its owner, who can die and come back.
type home struct {
	t        testing.TB
	dir      string
	lock     *ownership.Lock
	config   owner.Config
	o        *owner.Owner
	served   chan error
	replaced bool
}

func settings() owner.Settings {
	return owner.Settings{Settings: answers.Settings{Template: func(string) string { return "" }}}
}

func newHome(t testing.TB) *home {
	t.Helper()
	return homeIn(t, ownertest.Dir(t), owner.Config{})
}

// homeIn owns dir with what is set of c, until the test ends.
func homeIn(t testing.TB, dir string, c owner.Config) *home {
	t.Helper()
	if c.Settings == nil {
		c.Settings = settings
	}
	c.Logger, c.Version = slog.New(slog.DiscardHandler), "test"
	h := &home{t: t, dir: dir, config: c}
	h.open()
	t.Cleanup(func() {
		if h.o != nil && !h.replaced {
			h.close()
		}
	})
	return h
}

func (h *home) open() {
	h.t.Helper()
	var err error
	if h.lock, err = ownership.TryLock(h.dir); err != nil {
		h.t.Fatal(err)
	}
	if h.o, err = owner.Own(context.Background(), h.lock, h.config); err != nil {
		h.lock.Release()
		h.t.Fatal(err)
	}
}

// serve opens the door and returns when it is open.
func (h *home) serve() {
	h.t.Helper()
	h.served = make(chan error, 1)
	served, o := h.served, h.o
	go func() { served <- o.Serve(context.Background(), nil) }()
	testutil.Eventually(h.t, "the owner answers", func() bool {
		nc, err := journal.Connect(context.Background(), h.dir)
		if err == nil {
			nc.Close()
		}
		return err == nil
	})
}

// ends waits for Serve to return.
func (h *home) ends() error {
	h.t.Helper()
	select {
	case err := <-h.served:
		h.served = nil
		return err
	case <-time.After(testutil.Patience):
		h.t.Fatal("the owner does not leave")
		return nil
	}
}

func (h *home) close() {
	h.t.Helper()
	if h.served != nil {
		h.o.Leave()
		if err := h.ends(); err != nil {
			h.t.Error(err)
		}
	}
	if err := errors.Join(h.o.Close(), h.lock.Release()); err != nil {
		h.t.Errorf("close: %v", err)
	}
	h.o = nil
}

func (h *home) restart() {
	h.t.Helper()
	h.close()
	h.open()
}

// handle gives one report to the owner, which has to take it: again, as hooks do through the spool, when a busy machine takes
// longer than writer.StoreWait.
func (h *home) handle(report ...events.Envelope) []uint64 {
	h.t.Helper()
	asked := request(h.t, report...)
	r := h.o.Handle(context.Background(), asked)
	for strings.Contains(r.Error, context.DeadlineExceeded.Error()) {
		r = h.o.Handle(context.Background(), asked)
	}
	if r.Error != "" || len(r.Seqs) != len(report) {
		h.t.Fatalf("reply %+v to %d events", r, len(report))
	}
	return r.Seqs
}

// leave puts a report into the spool, as a hook does that found no owner.
func (h *home) leave(floor uint64, report ...events.Envelope) {
	h.t.Helper()
	r := request(h.t, report...)
	r.Floor = floor
	if err := client.Open(h.dir, client.Options{}).Save(r); err != nil {
		h.t.Fatal(err)
	}
}

func (h *home) spool() *spool.Dir { return spool.Open(filepath.Join(h.dir, "spool")) }

func (h *home) drain() {
	h.t.Helper()
	if err := h.o.Drain(context.Background()); err != nil {
		h.t.Fatal(err)
	}
}

// waiting is how many files wait in the spool, and how many were set aside.
func (h *home) waiting() (entries, aside int) {
	h.t.Helper()
	entries, aside, err := h.spool().Count()
	if err != nil {
		h.t.Fatal(err)
	}
	return entries, aside
}

// log reads the whole log, or what the selectors name.
func (h *home) log(sel ...events.Selector) []events.Envelope {
	h.t.Helper()
	var all []events.Envelope
	for e, err := range h.o.Log().Events(context.Background(), events.Span{}, sel...) {
		if err != nil {
			h.t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

func (h *home) logOf(t events.Type) []events.Envelope {
	h.t.Helper()
	return h.log(events.Selector{Type: t})
}

// request makes the request for a report. It takes what an appender of ours
// would not send.
func request(t testing.TB, report ...events.Envelope) wire.Request {
	t.Helper()
	r := wire.Request{Wire: wire.Version}
	for _, e := range report {
		b, err := events.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		r.Events = append(r.Events, b)
	}
	return r
}

// about is the main lane of session s of project p, so long after a moment
// that means nothing.
func about(at time.Duration) events.Meta {
	return events.Meta{
		At: int64(1e18) + int64(at), Agent: "claude", Session: "s", Project: "p", Rules: int(redact.RuleSet),
	}
}

func report(t testing.TB, m events.Meta, es ...events.Event) []events.Envelope {
	t.Helper()
	all, err := client.Report(m, nil, es...)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func prompt(t testing.TB, m events.Meta, text string) events.Envelope {
	t.Helper()
	return report(t, m, events.PromptSubmitted{Text: text})[0]
}

// texts gives the texts of prompts and decisions.
func texts(t testing.TB, es []events.Envelope) []string {
	t.Helper()
	got := []string{}
	for _, e := range es {
		ev, err := events.Open(e)
		if err != nil {
			t.Fatal(err)
		}
		switch ev := ev.(type) {
		case events.PromptSubmitted:
			got = append(got, ev.Text)
		case events.DecisionRecorded:
			got = append(got, ev.Text)
		}
	}
	return got
}

// beforehand works on the store of dir as no owner does.
func beforehand(t testing.TB, dir string, work func(jetstream.JetStream) error) {
	t.Helper()
	l, err := ownership.TryLock(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Release()
	s, err := embedded.Own(context.Background(), l, embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	js, err := jetstream.New(s.Conn())
	if err == nil {
		err = work(js)
	}
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
}

// dial connects to the owner as an appender does.
func (h *home) dial() *nats.Conn {
	h.t.Helper()
	nc, err := journal.Connect(context.Background(), h.dir)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(nc.Close)
	return nc
}

// ask makes one request over the socket.
func (h *home) ask(subject string, body []byte) []byte {
	h.t.Helper()
	m, err := h.dial().Request(subject, body, testutil.Patience)
	if err != nil {
		h.t.Fatal(err)
	}
	return m.Data
}

func write(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func numbered(n int) string { return fmt.Sprintf("%03d", n) }

// secret is a token that redaction knows, made here so that no file holds one.
func secret() string { return "ghp_" + strings.Repeat("Ab3", 12) }
