package writer_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go/jetstream"

	"journal/cmd/testkit/ownertest"
	"journal/embedded"
	"journal/embedded/owner/writer"
	"journal/events"
	"journal/journal"
	"journal/journal/redact"
)

// names fails a number of times to sync the names of the store's files, after the event was stored.
type names struct{ fails int }

func (n *names) Sync() error {
	if n.fails--; n.fails >= 0 {
		return errors.New("input/output error")
	}
	return nil
}

// heard holds the ids of the events that a listener received.
type heard []string

func (*heard) Remember(events.Envelope) {}

func (h *heard) Stored(e events.Envelope) { *h = append(*h, e.ID) }

// An event whose storing seemed to fail is in the log. When it is retried, or another one is stored, every listener receives it once:
// otherwise its twin would be a second fact, the transcript would not be read, and a session could be in two projects.
func TestStoredUnheard(t *testing.T) {
	t.Parallel()
	server, err := embedded.Own(t.Context(), ownertest.Lock(t, ownertest.Dir(t)), embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	js, err := jetstream.New(server.Conn())
	if err != nil {
		t.Fatal(err)
	}
	log, err := journal.CreateLog(t.Context(), js)
	if err != nil {
		t.Fatal(err)
	}
	var told heard
	bad := &names{}
	w := writer.New(writer.Config{
		Log: log, Dirs: bad, Dir: t.TempDir(), Note: func(uint64) {}, OnError: func(err error) { t.Error(err) },
		Healthy: func() error { return nil }, OnUnhealthy: func() {},
	})
	w.Connect(func(events.Envelope) uint64 { return 0 }, &told)
	one := func(id string) *writer.Draft {
		d, err := writer.DraftOf(events.CommandRan{Command: "make"}, events.Meta{
			ID: id, At: 1e18, Agent: "claude", Session: "s", Project: "p", Key: events.ToolKey + "1", Rules: int(redact.RuleSet),
		})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	bad.fails = 1
	if err := w.Append(t.Context(), one("a")); err == nil {
		t.Fatal("the sync does not fail")
	}
	again, twin := one("a"), one("twin")
	for _, d := range []*writer.Draft{again, twin} {
		if err := w.Append(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	if again.Sequence != 1 || !again.InLog || twin.EchoOf != 1 {
		t.Errorf("the event is #%d, its twin echoes #%d", again.Sequence, twin.EchoOf)
	}
	bad.fails = 1
	if err := w.Append(t.Context(), one("b")); err == nil {
		t.Fatal("the sync does not fail")
	}
	if err := w.Append(t.Context(), one("c")); err != nil { // before b comes again
		t.Fatal(err)
	}
	found := one("b")
	found.Sequence, found.InLog = 3, true // as a search in the log says
	if err := w.Append(t.Context(), found); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(heard{"a", "twin", "b", "c"}, told); diff != "" {
		t.Errorf("heard of (-want +got):\n%s", diff)
	}
}
