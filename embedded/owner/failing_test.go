package owner_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"journal/embedded"
	"journal/embedded/owner/answers"
	"journal/embedded/owner/draft"
	"journal/embedded/owner/ownertest"
	"journal/embedded/owner/sessions"
	"journal/embedded/owner/writer"
	"journal/events"
	"journal/journal"
)

// failing is the writer of a log. It stores as often nothing as refuses says, and as often more than it says as unsure says.
type failing struct {
	*writer.Writer
	log             *journal.Log
	dir             string
	refuses, unsure int
}

var errFails = errors.New("input/output error")

// Sync says whether the names of the store's files are on the disk, after an event was stored.
func (f *failing) Sync() error {
	if f.unsure--; f.unsure >= 0 {
		return errFails
	}
	return nil
}

func newFailing(t *testing.T) *failing {
	t.Helper()
	f := &failing{dir: ownertest.Dir(t)}
	server, err := embedded.Own(t.Context(), ownertest.Lock(t, f.dir), embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	js, err := jetstream.New(server.Conn())
	if err == nil {
		f.log, err = journal.CreateLog(t.Context(), js)
	}
	if err != nil {
		t.Fatal(err)
	}
	f.Writer = writer.New(writer.Config{
		Log: f.log, Names: f, Dir: f.dir, Stored: func(uint64) {}, Trouble: func(error) {}, Healthy: func() error { return nil }, Ill: func() {},
	})
	return f
}

// listen tells somebody of what is stored.
func (f *failing) listen(l writer.Listener) {
	f.Connect(func(events.Envelope) uint64 { return 0 }, l)
}

// says stores what a hook says.
func (f *failing) says(t *testing.T, at time.Duration, ev events.Event) *draft.Draft {
	t.Helper()
	m := about(at)
	m.ID = events.NewID()
	d, err := draft.Of(ev, m)
	if err == nil {
		err = f.Append(context.Background(), d)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// A claim that seems to have failed is in the log: nobody else is given the text then, so who asked is given it.
func TestClaimThatSeemsToFail(t *testing.T) {
	t.Parallel()
	f := newFailing(t)
	a := answers.New(answers.Config{
		Log: f.log, Writer: f, Sessions: sessions.New(f.log), Dir: f.dir, Settings: func() answers.Settings { return settings().Settings },
		Command: func() string { return "journal" }, Logger: slog.New(slog.DiscardHandler), Trouble: func(err error) { t.Error(err) },
	})
	f.listen(a)
	f.says(t, 0, events.PromptSubmitted{Text: "build the lighthouse"})
	asker := f.says(t, time.Minute, events.ContextRestarted{})
	f.unsure = 1
	text, _, err := a.Answer(t.Context(), *owed(asker.Envelope), []*draft.Draft{asker})
	if err != nil || !strings.Contains(text, "build the lighthouse") {
		t.Errorf("the agent is told %q, error %v", text, err)
	}
	other := f.says(t, 2*time.Minute, events.ContextRestarted{})
	if text, _, err := a.Answer(t.Context(), *owed(other.Envelope), []*draft.Draft{other}); err != nil || text != "" {
		t.Errorf("another one is told %q, error %v", text, err)
	}
}
