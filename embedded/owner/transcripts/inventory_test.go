package transcripts

import (
	"context"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"journal/embedded"
	"journal/embedded/store/ownership"
	"journal/events"
	"journal/journal"
	"journal/projections"
)

// What an import told of a session is known also where the log could not be read the first time, as when the owner leaves
// meanwhile and reads the rest: else it would be told twice.
func TestInventoryAfterAFailure(t *testing.T) {
	t.Parallel()
	lock, err := ownership.TryLock(t.TempDir())
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
	if err != nil {
		t.Fatal(err)
	}
	log, err := journal.CreateLog(t.Context(), js)
	if err != nil {
		t.Fatal(err)
	}
	id := events.DerivedID("interrupted")
	e, err := events.Wrap(events.TurnInterrupted{}, events.Meta{ID: id, At: 1e18, Agent: "claude", Session: "s~1", Project: "p"})
	if err == nil {
		_, _, err = log.Append(t.Context(), e)
	}
	if err != nil {
		t.Fatal(err)
	}
	var k inventory
	gone, leave := context.WithCancel(t.Context())
	leave()
	if err := k.catchUp(gone, log, projections.Target{Project: "p", Session: "s"}, 1); err == nil {
		t.Fatal("the log can be read")
	}
	if err := k.catchUp(t.Context(), log, projections.Target{Project: "p", Session: "s"}, 1); err != nil || !k.facts[id] {
		t.Errorf("told %v, error %v", k.facts, err)
	}
}
