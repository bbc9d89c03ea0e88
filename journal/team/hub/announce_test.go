package hub_test

import (
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"journal/journal/team"
	"journal/journal/team/dial"
	"journal/journal/team/hub"
	"journal/journal/team/hubtest"
)

// Who is in the team is told also where the roster has nobody yet who answers for it: it is tried again.
func TestAnnounceWaitsForTheRoster(t *testing.T) {
	t.Parallel()
	h := hubtest.New(t, filepath.Join(t.TempDir(), "hub"), hub.Hub{}, 1)
	alice := h.Member(t, "alice")
	h.Start(t)
	h.Announced(t)
	nc, err := dial.Connect(t.Context(), alice, alice.Hub, h.Key)
	must(t, err)
	defer nc.Close()
	js, err := jetstream.New(nc)
	must(t, err)
	is, err := js.Stream(t.Context(), team.Roster)
	must(t, err)
	config := is.CachedInfo().Config
	aside := config
	aside.Subjects = []string{"aside"}
	_, err = js.UpdateStream(t.Context(), aside)
	must(t, err)
	var asked atomic.Int32
	// What a server says where nobody takes a message.
	nobody := nats.Header{"Status": {"503"}}
	taken, err := nc.Subscribe("roster", func(m *nats.Msg) {
		if asked.Add(1) == 5 { // NATS' own client asks three times
			if _, err := js.UpdateStream(t.Context(), config); err != nil {
				t.Error(err)
			}
			_ = m.Sub.Unsubscribe() // else it is asked on, and says no
		}
		_ = m.RespondMsg(&nats.Msg{Header: nobody}) // or the announcement gives up
	})
	must(t, err)
	must(t, nc.Flush())
	must(t, h.Announce(t.Context()))
	if asked.Load() < 5 || taken.IsValid() {
		t.Errorf("it was asked %d times", asked.Load())
	}
}
