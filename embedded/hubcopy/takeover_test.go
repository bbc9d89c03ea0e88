package hubcopy_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"journal/embedded/hubcopy"
	"journal/embedded/hubcopy/hubtest"
	"journal/journal/team"
	"journal/journal/team/dial"
	"journal/journal/team/hub"
	"journal/journal/team/peers"
	"journal/journal/testutil"
)

// intruder is a member who takes what her keys permit: a connection with her key for reading, and in her
// own account a stream called file, whose messages are hers.
type intruder struct{ nc *nats.Conn }

// The messages of that stream.
const (
	nothing   = 1 // empty, as the server wants it of who deletes
	roster    = 2
	config    = 3 // of a stream
	pretended = 4 // nothing, from an account that is not hers
)

// newIntruder joins somebody who has more in her account than copies.
func newIntruder(t testing.TB, in team.Member) intruder {
	t.Helper()
	nc := leafOf(t, in, "intruder", nats.CustomInboxPrefix("_INBOX_"+in.Name), refusals)
	ask := func(subject string, m nats.Msg) (refused string) {
		m.Subject = subject
		answer, err := nc.RequestMsg(&m, 3*time.Second)
		if err != nil {
			return err.Error()
		}
		if strings.Contains(string(answer.Data), `"error":`) {
			return string(answer.Data)
		}
		return ""
	}
	create := func(storage string) (refused string) {
		return ask("$JS.hub.API.STREAM.CREATE."+storage, nats.Msg{
			Data: fmt.Appendf(nil, `{"name":%q,"subjects":["dlv.%s"],"storage":%q,"allow_direct":true}`, storage, storage, storage),
		})
	}
	// Not before the link is told what there is, and every node the account.
	testutil.Eventually(t, "there is a stream on disk", func() bool { return create("file") == "" })
	refused := ""
	testutil.Eventually(t, "one in memory is answered", func() bool { // by nobody while the nodes choose who leads
		refused = create("memory")
		return refused != nats.ErrTimeout.Error() && refused != nats.ErrNoResponders.Error()
	})
	if !strings.Contains(refused, "insufficient memory") {
		t.Errorf("in memory, which nothing bounds, it is answered %s", refused)
	}
	for _, m := range []nats.Msg{
		{}, {Data: []byte("alice\nmallory")}, {Data: []byte(`{"name":"TAKEN","subjects":["taken"]}`)},
		{Header: nats.Header{"Nats-Request-Info": {`{"acc":"M_bob","svc":"M_bob"}`}}},
	} {
		testutil.Eventually(t, "it is stored", func() bool { return ask("dlv.file", m) == "" })
	}
	client, err := dial.Connect(t.Context(), in, in.Clients, in.Reader, nats.CustomInboxPrefix("_INBOX_"+in.Name), refusals)
	must(t, err)
	t.Cleanup(client.Close)
	return intruder{client}
}

// has the hub answer on a subject with a message of hers.
func (i intruder) has(t testing.TB, n int, on string) {
	t.Helper()
	must(t, i.nc.PublishRequest("M.alice.API.DIRECT.GET.file", on, fmt.Appendf(nil, `{"seq":%d}`, n)))
}

// ask asks for the roster, to be answered on a subject.
func (i intruder) ask(t testing.TB, subject, on string) {
	t.Helper()
	must(t, i.nc.PublishRequest("$JS.API.DIRECT.GET.ROSTER", on, fmt.Appendf(nil, `{"last_by_subj":%q}`, subject)))
}

// storedAt lists the streams of a hub with what is in them; twice, where its nodes differ.
func storedAt(t testing.TB, h *hubtest.Hub) (all []string) {
	t.Helper()
	for _, n := range h.Nodes {
		z, err := h.Server(n.Name).Jsz(&server.JSzOptions{Accounts: true, Streams: true, Consumer: true})
		must(t, err)
		for _, a := range z.AccountDetails {
			for _, s := range a.Streams {
				all = append(all, fmt.Sprintf("%s/%s #%d..#%d, %d consumers", a.Name, s.Name, s.State.FirstSeq, s.State.LastSeq, len(s.Consumer)))
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// A member who asks has the hub's answer go to any subject of the account of readers. What stands there would
// be an order to the server, or a roster: so that account has no streams and no way to make them, on a hub
// that is new and on one that the version before made, where each of these worked.
func TestNobodyTakesTheTeamOver(t *testing.T) {
	t.Parallel()
	for i := range 8 {
		nodes, operator, earlier := 1+2*(i&1), i&2 != 0, i&4 != 0
		t.Run(fmt.Sprintf("nodes=%d operator=%v earlier=%v", nodes, operator, earlier), func(t *testing.T) {
			t.Parallel()
			var of hub.Hub
			if operator {
				of.Operator = &hub.Operator{}
			}
			h := newHubOf(t, of, nodes)
			alice, bob := h.Member(t, "alice"), h.Member(t, "bob")
			if earlier {
				takenOver(t, h, alice)
			} else {
				h.Start(t)
				must(t, h.Reload(t.Context()))
				must(t, h.Announce(t.Context()))
			}
			p := newLaptop(t, bob)
			p.log.add("web", 20)
			p.share(t, "web")
			p.on()
			arrived(t, p)
			copied := hubcopy.HubStream(p.member.Device, 1)
			i := newIntruder(t, alice)
			notTakenOver(t, h, i, copied)
			withoutAPI(t, h)
			asLeaf := alice
			asLeaf.Upload = alice.Reader
			i.nc = leafOf(t, asLeaf, "reader", nats.CustomInboxPrefix("_INBOX_alice"), refusals)
			notTakenOver(t, h, i, copied)
			same(t, reader(t, alice, "bob"), p, "web")
			names, err := peers.Members(t.Context(), reach(t, alice))
			if want := []string{"alice", "bob"}; err != nil || !slices.Equal(names, want) {
				t.Errorf("in the team are %s, %v, want %s", names, err, want)
			}
		})
	}
}

// takenOver starts a hub as the version before made it, on which a member does as she likes, and mends it.
func takenOver(t *testing.T, h *hubtest.Hub, alice team.Member) {
	t.Helper()
	keeper := hubtest.Earlier(t, h.Dir)
	h.Start(t)
	announce := func() {
		hubtest.AnnounceEarlier(t, h.Nodes[0].Client, keeper, min(len(h.Nodes), 3), "alice", "bob")
	}
	announce()
	i := newIntruder(t, alice)
	if seen, err := peers.Earlier(t.Context(), i.nc); !seen || err != nil {
		t.Errorf("that it is one of the version before is not seen: %v", err)
	}
	told := func(s string) func() bool {
		return func() bool { return strings.Contains(strings.Join(storedAt(t, h), "\n"), s) }
	}
	i.has(t, config, "roster")
	testutil.Eventually(t, "the roster is a stream's configuration", told("/ROSTER #2..#2"))
	i.ask(t, "roster", "$JS.API.STREAM.CREATE.TAKEN")
	testutil.Eventually(t, "there is one more stream", told("/TAKEN"))
	i.ask(t, "nothing", "$JS.API.STREAM.DELETE.ROSTER")
	testutil.Eventually(t, "the roster is gone", func() bool { return !told("/ROSTER")() })
	announce()

	var err error
	h.Hub, err = hub.Open(h.Dir)
	must(t, err)
	must(t, h.Reload(t.Context()))
	must(t, h.Announce(t.Context()))
	for _, s := range []string{"ROSTER", "TAKEN"} {
		testutil.Eventually(t, s+" is on no disk", func() bool {
			found, err := filepath.Glob(filepath.Join(h.Dir, "jetstream-*", "jetstream", "*", "streams", s))
			return err == nil && len(found) == 0
		})
	}
}

// withoutAPI says that the account of readers has no streams and no way to the API by which they are made.
func withoutAPI(t *testing.T, h *hubtest.Hub) {
	t.Helper()
	readers := "TEAM"
	if h.Operator != nil {
		pair, err := nkeys.FromSeed([]byte(h.Operator.Team))
		must(t, err)
		readers, err = pair.PublicKey()
		must(t, err)
	}
	looked := false
	for _, n := range h.Nodes {
		z, err := h.Server(n.Name).Accountz(&server.AccountzOptions{Account: readers})
		if err != nil {
			continue // accounts with an operator are known where somebody is who has one
		}
		looked = true
		for _, i := range z.Account.Imports {
			if i.Account == z.SystemAccount && strings.HasPrefix(string(i.LocalSubject), "$JS.") || z.Account.JetStream {
				t.Errorf("on %s readers reach %s", n.Name, i.LocalSubject)
			}
		}
	}
	if !looked {
		t.Error("no node has the account of readers")
	}
}

// notTakenOver has an intruder try.
func notTakenOver(t *testing.T, h *hubtest.Hub, i intruder, copied string) {
	t.Helper()
	testutil.Eventually(t, "all nodes have the same", func() bool { return len(storedAt(t, h)) == 3 })
	answered := func() error {
		_, err := i.nc.Request("M.bob.API.DIRECT.GET."+copied, []byte(`{"seq":1}`), 10*time.Second)
		return err
	}
	testutil.Eventually(t, "the hub answers", func() bool { return answered() == nil })
	before := storedAt(t, h)
	b, err := os.ReadFile(apiName)
	must(t, err)
	var on []string
	for _, name := range []string{"ROSTER", "MEMBERS", "TAKEN", "file", copied} {
		for _, s := range strings.Fields(string(b)) {
			s = strings.Replace(s, "*", name, 1)
			on = append(on, strings.ReplaceAll(strings.ReplaceAll(s, "*", "team"), ">", "team"))
		}
	}
	on = append(on, "roster", "dlv.file", "$JS.ACK.file.c.1.1.1.1.1", "_R_.file", "$SYS.REQ.SERVER.PING")
	for _, on := range on {
		for n := nothing; n <= pretended; n++ {
			i.has(t, n, on)
		}
		i.ask(t, "roster", on)
		i.ask(t, "nothing", on)
		must(t, i.nc.PublishRequest("M.bob.API.DIRECT.GET."+copied, on, []byte(`{"seq":999}`)))
		must(t, i.nc.PublishRequest("M.bob.API.STREAM.INFO."+copied, on, nil))
		// What was asked before is answered before.
		if err := answered(); err != nil {
			t.Fatalf("after answers on %s: %v", on, err)
		}
		if after := storedAt(t, h); !slices.Equal(before, after) {
			t.Fatalf("after answers on %s there is\n%s\nthere was\n%s", on, strings.Join(after, "\n"), strings.Join(before, "\n"))
		}
	}
}
