package embedded_test

import (
	"context"
	"testing"

	"github.com/nats-io/nats.go"

	"journal/cmd/testkit/ownertest"
	"journal/cmd/testkit/testutil"
	"journal/embedded"
)

// BenchmarkLife starts an owner on an existing empty store, and stops it cleanly.
func BenchmarkLife(b *testing.B) {
	l := ownertest.Lock(b, ownertest.Dir(b))
	for b.Loop() {
		s, err := embedded.Own(context.Background(), l, embedded.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Serve(); err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDoor compares the bridged socket with the server's own TCP: a
// request, and a burst of requests in flight, of 2 KiB each way.
func BenchmarkDoor(b *testing.B) {
	payload := make([]byte, 2<<10)
	for _, door := range []string{"socket", "tcp"} {
		b.Run(door, func(b *testing.B) {
			dir := ownertest.Dir(b)
			s := owner(b, dir, embedded.Options{Listen: "127.0.0.1:0"})
			if _, err := s.Conn().Subscribe("JOURNAL.v1.echo", func(m *nats.Msg) { m.Respond(m.Data) }); err != nil {
				b.Fatal(err)
			}
			if err := s.Conn().Flush(); err != nil {
				b.Fatal(err)
			}
			nc, err := nats.Connect(s.ClientURL(), doors[door](dir, s)...)
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(nc.Close)
			b.Run("one", func(b *testing.B) {
				for b.Loop() {
					if _, err := nc.Request("JOURNAL.v1.echo", payload, testutil.Patience); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run("burst", func(b *testing.B) {
				const burst = 1000
				inbox := nats.NewInbox()
				sub, err := nc.SubscribeSync(inbox)
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(2 * burst * int64(len(payload)))
				for b.Loop() {
					for range burst {
						if err := nc.PublishRequest("JOURNAL.v1.echo", inbox, payload); err != nil {
							b.Fatal(err)
						}
					}
					for range burst {
						if _, err := sub.NextMsg(testutil.Patience); err != nil {
							b.Fatal(err)
						}
					}
				}
			})
		})
	}
}
