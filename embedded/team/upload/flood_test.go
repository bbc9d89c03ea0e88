package upload_test

import (
	"sync"
	"testing"

	"github.com/nats-io/nats.go"

	"journal/cmd/testkit/hubtest"
	"journal/cmd/testkit/testutil"
	"journal/embedded/team"
)

// A member who sends as fast as the hub takes it keeps nobody from sharing and from hearing of colleagues: what is flooded
// is a stream of their own.
func TestFloodSilencesNobody(t *testing.T) {
	t.Parallel()
	for what, subject := range map[string]string{"shares": team.Put + "0a0a0a0a.1", "facts": team.Put + "facts.place"} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			h := newHub(t, 3)
			alice, bob, eve := h.Member(t, "alice"), h.Member(t, "bob"), h.Member(t, "eve")
			h.Start(t)
			h.Announced(t)
			flood(t, eve, subject)
			p, bobs := newLaptop(t, alice), newHearer(t, bob)
			p.log.add("web", 3)
			p.share(t, "web")
			p.on()
			arrived(t, p)
			testutil.Eventually(t, "bob hears of it", func() bool {
				told, _, _ := bobs.hear(false) // what eve tells is not believed
				return told["web"] == "3"
			})
		})
	}
}

// flood sends to a subject, without waiting for answers, until the test ends.
func flood(t testing.TB, in team.Member, subject string) {
	end := make(chan struct{})
	var floods sync.WaitGroup
	for range 2 {
		nc := hubtest.As(t, in, nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
		floods.Go(func() {
			for {
				select {
				case <-end:
					return
				default:
					_ = nc.PublishRequest(subject, nc.NewRespInbox(), make([]byte, 1<<10)) // it is about the others
				}
			}
		})
	}
	t.Cleanup(func() { close(end); floods.Wait() })
}
