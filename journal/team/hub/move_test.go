package hub_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"journal/cmd/testkit/testutil"
	"journal/journal/team"
	"journal/journal/team/dial"
	"journal/journal/team/hub"
	"journal/journal/team/hubtest"
)

// What a hub has is copied in order, also by several calls of which each is interrupted, and what a laptop gave the new
// hub itself stays.
func TestTakeGoesOn(t *testing.T) {
	t.Parallel()
	old := hubtest.New(t, filepath.Join(t.TempDir(), "old"), hub.Hub{}, 1)
	alice := old.Member(t, "alice")
	old.Start(t)
	old.Announced(t)
	give := func(in team.Member, device string, n int) {
		nc := hubtest.As(t, in)
		for i := range n {
			_, err := nc.Request(team.Put+device+".1", fmt.Append(nil, device, i), testutil.Patience)
			must(t, err)
		}
	}
	give(alice, "0a0a0a0a", 30)
	give(alice, "0b0b0b0b", 5)
	must(t, hubtest.As(t, alice).PublishRequest(team.Remove, "nobody", []byte(`{"seq":7}`)))

	dir := filepath.Join(t.TempDir(), "new")
	node, err := hub.ParseNode("127.0.0.1:"+hubtest.Ports(t), 1)
	must(t, err)
	_, made, err := old.MoveTo(t.Context(), dir, []hub.Node{node})
	if must(t, err); !made {
		t.Fatal("it was there already")
	}
	to := hubtest.Open(t, dir)
	to.Start(t)
	to.Announced(t)
	give(to.Readdress(alice), "0b0b0b0b", 2)
	total, calls := 0, 0
	for done := false; !done; calls++ {
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			defer cancel()
			before := count(t, to, alice.Account)
			for ctx.Err() == nil && count(t, to, alice.Account) < before+6 {
			}
		}()
		n, err := to.Take(ctx, alice.Hub[0])
		done = err == nil
		total += n
		cancel()
	}
	t.Logf("%d messages were copied by %d calls", total, calls)
	if n := count(t, to, alice.Account); n != 29+2 {
		t.Errorf("the new hub has %d messages", n)
	}
	i := 0
	nc := hubtest.As(t, to.Readdress(alice))
	_, err = dial.Ask(t.Context(), nc, team.AskOf+alice.Account, dial.Question{Next: team.Subject(alice.Account, "0a0a0a0a", 1), Most: 100}, func(a dial.Answer) error {
		if i == 6 {
			i++ // it was removed
		}
		if string(a.Data) != fmt.Sprint("0a0a0a0a", i) {
			t.Errorf("message %d is %q", i, a.Data)
		}
		i++
		return nil
	})
	must(t, err)
}

// count gives how many messages a stream has.
func count(t testing.TB, h *hubtest.Hub, stream string) uint64 {
	nc, err := nats.Connect("", nats.InProcessServer(h.Server("node-1")), nkeyOf(t, h.Key.Seed))
	if err != nil {
		return 0
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return 0
	}
	s, err := js.Stream(context.Background(), stream)
	if err != nil {
		return 0
	}
	return s.CachedInfo().State.Msgs
}

func nkeyOf(t testing.TB, seed string) nats.Option {
	pair, err := team.Key{Seed: seed}.Pair()
	must(t, err)
	public, err := pair.PublicKey()
	must(t, err)
	return nats.Nkey(public, pair.Sign)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
