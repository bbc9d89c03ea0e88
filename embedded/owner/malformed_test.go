package owner_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"journal/cmd/testkit/ownertest"
	"journal/embedded"
	"journal/embedded/owner"
	"journal/embedded/store/ownership"
	"journal/events"
	"journal/journal"
)

// Stored bytes that cannot be read stop nothing else of their session and project: answers, the reading of transcripts, and receipts.
func TestMalformedRecords(t *testing.T) {
	t.Parallel()
	dir := ownertest.Dir(t)
	storesMalformed(t, dir,
		events.Meta{Project: "p", Session: "s", Type: events.TypeOf[events.PromptSubmitted]()},
		events.Meta{Project: "p", Session: "s", Type: events.TypeOf[events.ConversationRewound]()},
		events.Meta{Project: "p", Session: "s~1", Type: events.TypeOf[events.CommandRan]()},
		events.Meta{Project: "p", Session: events.None, Type: events.TypeOf[events.RecordingPaused]()},
		events.Meta{Project: "p", Session: "s", Type: events.TypeOf[events.TranscriptSkipped]()},
	)
	h := homeIn(t, dir, owner.Config{})
	h.serve()
	c := &talk{home: h, path: filepath.Join(t.TempDir(), "s.jsonl")}
	c.handle(report(t, about(0), events.SessionStarted{Source: "startup", Transcript: c.path})...)
	remember(h)
	c.adds(c.row("user", "hello"))
	c.works()
	c.adds(c.refuses("too early"))
	c.wants("too early")
	e := restarted(t, time.Minute)
	given := c.asks(e, owed(e)).Text
	if !strings.Contains(given, "build the lighthouse") {
		t.Errorf("after a compaction the agent is told %q", given)
	}
	a := &agent{home: h, path: c.path}
	a.arrives(given)
	a.confirm()
	if reply := a.confirm(); reply.Error != "" {
		t.Error(reply.Error)
	}
}

// A record that cannot be read may be a pause, so the rows before the next owner are not read.
func TestMalformedPause(t *testing.T) {
	t.Parallel()
	c := newTalk(t)
	c.adds(c.refuses("before"))
	c.wants("before")
	c.close()
	storesMalformed(t, c.dir, events.Meta{Project: "p", Session: events.None, Type: events.TypeOf[events.RecordingPaused]()})
	c.adds(c.refuses("in the pause"))
	c.open()
	c.serve()
	c.works()
	c.passes()
	c.adds(c.refuses("after"))
	c.wants("before", "after")
	c.another()
	c.adds(c.refuses("later"))
	c.wants("before", "after", "later")
}

// storesMalformed stores a record that is no event on the subject of each meta, as no owner does.
func storesMalformed(t *testing.T, dir string, all ...events.Meta) {
	t.Helper()
	lock, err := ownership.TryLock(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release()
	server, err := embedded.Own(t.Context(), lock, embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	js, err := jetstream.New(server.Conn())
	if err == nil {
		_, err = journal.CreateLog(t.Context(), js)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		ack, err := js.Publish(t.Context(), journal.Subject(m), []byte("?"), jetstream.WithMsgID(events.NewID()))
		if err != nil {
			t.Fatal(err)
		}
		server.SetHead(ack.Stream, ack.Sequence, "")
	}
}
