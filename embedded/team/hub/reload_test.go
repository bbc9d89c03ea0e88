package hub_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"journal/cmd/testkit/hubtest"
	"journal/embedded/team"
	"journal/embedded/team/dial"
	"journal/embedded/team/hub"
)

// asideRoster makes a hub with alice, whose roster takes no word of who is in the team until it is what it was again.
func asideRoster(t *testing.T) (h *hubtest.Hub, nc *nats.Conn, js jetstream.JetStream, was jetstream.StreamConfig) {
	t.Helper()
	h = hubtest.New(t, filepath.Join(t.TempDir(), "hub"), hub.Hub{}, 1)
	alice := h.Member(t, "alice")
	h.Start(t)
	h.Announced(t)
	nc, err := dial.Connect(t.Context(), alice, alice.Hub, h.Key)
	must(t, err)
	t.Cleanup(nc.Close)
	js, err = jetstream.New(nc)
	must(t, err)
	is, err := js.Stream(t.Context(), team.RosterStream)
	must(t, err)
	was = is.CachedInfo().Config
	aside := was
	aside.Subjects = []string{"aside"}
	_, err = js.UpdateStream(t.Context(), aside)
	must(t, err)
	return h, nc, js, was
}

// Who is in the team is told also where the roster has nobody yet who answers for it: it is tried again.
func TestAnnounceWaitsForTheRoster(t *testing.T) {
	t.Parallel()
	h, nc, js, was := asideRoster(t)
	var asked atomic.Int32
	// What a server says where nobody takes a message.
	nobody := nats.Header{"Status": {"503"}}
	taken, err := nc.Subscribe("roster", func(m *nats.Msg) {
		if asked.Add(1) == 5 { // NATS' own client asks three times
			if _, err := js.UpdateStream(t.Context(), was); err != nil {
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

// A hub that takes a word and does not answer is called silent: it is no owner of a log that hangs.
func TestAnnounceToASilentHub(t *testing.T) {
	t.Parallel()
	h, nc, _, _ := asideRoster(t)
	_, err := nc.Subscribe("roster", func(*nats.Msg) {})
	must(t, err)
	must(t, nc.Flush())
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := h.Announce(ctx); !errors.Is(err, team.ErrNoAnswer) || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
}

// An answer that gets lost, because a node stopped to lead while it owed it, is asked for again.
func TestAnnounceAsksAgain(t *testing.T) {
	t.Parallel()
	h, nc, _, _ := asideRoster(t)
	var asked atomic.Int32
	_, err := nc.Subscribe("roster", func(m *nats.Msg) {
		if asked.Add(1) == 2 {
			_ = m.Respond([]byte(`{"stream":"roster","seq":1}`)) // or the announcement gives up
		}
	})
	must(t, err)
	must(t, nc.Flush())
	must(t, h.Announce(t.Context()))
}

// Many members are given their places by one call.
func TestAnnounceMany(t *testing.T) {
	t.Parallel()
	h := hubtest.New(t, filepath.Join(t.TempDir(), "hub"), hub.Hub{}, 1)
	var in team.Member
	for i := range 100 {
		in = h.Member(t, fmt.Sprintf("m%d", i))
	}
	h.Start(t)
	must(t, h.Reload(t.Context()))
	must(t, h.Announce(t.Context()))
	nc, err := dial.Connect(t.Context(), in, in.Hub, h.Key)
	must(t, err)
	defer nc.Close()
	js, err := jetstream.New(nc)
	must(t, err)
	streams := 0
	for range js.StreamNames(t.Context()).Name() {
		streams++
	}
	if streams != 101 { // of the roster too
		t.Errorf("%d streams", streams)
	}
}

// Who is revoked while another call says who is in the team stays revoked.
func TestAnnounceUndoesNoRevocation(t *testing.T) {
	t.Parallel()
	h := hubtest.New(t, filepath.Join(t.TempDir(), "hub"), hub.Hub{}, 1)
	h.Member(t, "alice")
	h.Start(t)
	other, err := hub.Open(h.Dir)
	must(t, err)
	must(t, other.Revoke("alice"))
	h.Announced(t)
	now, err := hub.Open(h.Dir)
	must(t, err)
	if alice, err := now.Member("alice"); err != nil || !alice.Revoked || now.RosterNumber != h.RosterNumber {
		t.Errorf("%+v %v, and %d is the last number of %d", alice, err, now.RosterNumber, h.RosterNumber)
	}
}

// Of two calls that change who is in the team neither undoes what the other did, and what is said last names all.
func TestCallsMeet(t *testing.T) {
	t.Parallel()
	h := hubtest.New(t, filepath.Join(t.TempDir(), "hub"), hub.Hub{}, 1)
	alice := h.Member(t, "alice")
	h.Start(t)
	h.Announced(t)
	other, err := hub.Open(h.Dir)
	must(t, err)
	h.Member(t, "bob")
	must(t, other.Revoke("alice"))
	third, err := hub.Open(h.Dir)
	must(t, err)
	h.Member(t, "carol")
	must(t, third.Reload(t.Context()))
	must(t, third.Announce(t.Context()))
	nc, err := dial.Connect(t.Context(), alice, alice.Hub, h.Key)
	must(t, err)
	defer nc.Close()
	js, err := jetstream.New(nc)
	must(t, err)
	roster, err := js.Stream(t.Context(), team.RosterStream)
	must(t, err)
	said, err := roster.GetLastMsgForSubject(t.Context(), "roster")
	must(t, err)
	r, err := alice.DecodeRoster(said.Data)
	must(t, err)
	now, err := hub.Open(h.Dir)
	must(t, err)
	if is, err := now.Member("alice"); err != nil || !is.Revoked || len(now.Members) != 3 || len(r.Members) != 3 {
		t.Errorf("%+v %v, and the roster names %+v", now, err, r.Members)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
