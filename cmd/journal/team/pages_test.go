package team

import (
	"fmt"
	"path/filepath"
	"testing"

	"journal/cmd/journal/cli"
	"journal/cmd/testkit/hubtest"
	"journal/cmd/testkit/testutil"
	"journal/embedded/team"
	shared "journal/embedded/team/chunk"
	"journal/embedded/team/hub"
	"journal/journal/record"
)

// TestCopyThatBreaks: pages that read a copy go on with what was read of it when no more can be read, as when the page
// that follows it was closed at that moment.
func TestCopyThatBreaks(t *testing.T) {
	t.Parallel()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	h := hubtest.New(t, filepath.Join(t.TempDir(), "hub"), hub.Hub{}, 1)
	alice, bob := h.Member(t, "alice"), h.Member(t, "bob")
	h.Start(t)
	h.Announced(t)
	key, err := alice.Key.Pair()
	must(err)
	const device = "0a0a0a0a"
	nc := hubtest.As(t, alice)
	put := func(seq uint64, before []byte) {
		t.Helper()
		r := record.Record{Seq: seq, Subject: "journal.web.s.prompt.submitted", ID: fmt.Sprint("id-", seq), Data: []byte("a word")}
		b, err := shared.Encode(shared.Head{Team: "acme", Member: "alice", Device: device, Copy: 1, First: seq, Last: seq, Before: before}, []record.Record{r}, key)
		must(err)
		_, err = nc.Request(team.Put+device+".1", b, testutil.Patience)
		must(err)
	}
	put(1, nil)
	log, end, err := (&pages{member: team.Membership{Member: bob}}).Open(t.Context(), cli.Device{Member: "alice", Device: device})
	must(err)
	defer end()
	put(2, []byte("another"))
	if err := log.(*copyLog).poll(t.Context()); err == nil {
		t.Error("what does not follow is read")
	}
	if st, err := log.Stats(t.Context()); err != nil || st.Last != 1 {
		t.Errorf("%+v, %v", st, err)
	}
}
