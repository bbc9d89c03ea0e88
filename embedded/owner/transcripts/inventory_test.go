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

// newLog returns an empty log.
func newLog(t *testing.T) *journal.Log {
	t.Helper()
	lock, err := ownership.TryLock(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { lock.Release() })
	server, err := embedded.Own(t.Context(), lock, embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	js, err := jetstream.New(server.Conn())
	if err != nil {
		t.Fatal(err)
	}
	log, err := journal.CreateLog(t.Context(), js)
	if err != nil {
		t.Fatal(err)
	}
	return log
}

// The inventory has the imported facts of a session even if reading the log failed the first time, as when the owner leaves meanwhile:
// otherwise they would be stored twice.
func TestInventoryAfterAFailure(t *testing.T) {
	t.Parallel()
	log := newLog(t)
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
