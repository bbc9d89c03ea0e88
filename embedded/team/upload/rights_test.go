package upload_test

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
	"github.com/nats-io/nats.go/jetstream"

	"journal/cmd/testkit/hubtest"
	"journal/cmd/testkit/testutil"
	"journal/embedded/team"
	"journal/embedded/team/facts"
)

// attack is something that a member does with her own key. stream and victim are the names that the hub has for a
// colleague's stream and a subject in it.
type attack struct {
	name, subject, reply string
	body                 string
	header               nats.Header
}

// attacks are what is known to work, or to have worked, where members share an account: an answer goes to any
// subject that the account reaches.
func attacks(own, stream, victim, inbox string) []attack {
	ask := fmt.Sprintf(`{"multi_last":["E.%s.>"]}`, own)
	orders := map[string]string{
		"STREAM.DELETE": "$JS.API.STREAM.DELETE." + stream, "STREAM.PURGE": "$JS.API.STREAM.PURGE." + stream,
		"the API of a domain": "$JS.hub.API.STREAM.DELETE." + stream, "a colleague's chunks": victim,
		"the roster": "roster", "a colleague's inbox": inbox, "_R_": "_R_.>", "$JS.ACK": "$JS.ACK." + stream + ".x.1.1.1.1.1",
		"STREAM.CREATE": "$JS.API.STREAM.CREATE.X", "CONSUMER.CREATE": "$JS.API.CONSUMER.CREATE." + stream,
		"removal": "$JS.API.STREAM.MSG.DELETE." + stream, "a colleague's facts": facts.Subject(stream, "place"),
	}
	var all []attack
	for name, to := range orders {
		to = strings.ReplaceAll(to, ">", "x")
		all = append(all,
			attack{"get, answered to " + name, team.Get + own, to, ask, nil},
			attack{"put, answered to " + name, team.Put + "0a0a0a0a.1", to, `{"seq":1}`, nil},
			attack{"info, answered to " + name, team.Info + own, to, "", nil},
			attack{"newest, answered to " + name, team.Newest, to, ask, nil},
			attack{"remove, answered to " + name, team.Remove, to, `{"seq":1}`, nil},
			attack{"tell, answered to " + name, team.Put + "facts.place", to, `{"seq":1}`, nil},
			attack{"publish to " + name, to, "", `{"seq":1}`, nil},
		)
	}
	for name, body := range map[string]string{
		"STREAM.CREATE": `{"name":"X","subjects":["E.>"],"storage":"file"}`, "STREAM.DELETE": "", "STREAM.PURGE": "", "STREAM.UPDATE": `{"name":"` + stream + `","max_msgs":1}`,
		"STREAM.MSG.DELETE": `{"seq":1}`, "CONSUMER.DURABLE.CREATE": `{"stream_name":"` + stream + `","config":{"durable_name":"x","deliver_subject":"E.x","ack_policy":"explicit"}}`,
	} {
		of := stream
		if name == "STREAM.CREATE" {
			of = "X"
		}
		for _, api := range []string{"$JS.API.", "$JS.hub.API."} {
			all = append(all, attack{"ask " + api + name, api + name + "." + of, "", body, nil})
		}
	}
	for name, value := range map[string]string{
		"Nats-Rollup": "all", "Nats-TTL": "1s", "Nats-Expected-Last-Sequence": "1", "Nats-Expected-Stream": stream, "Nats-Msg-Id": "equal", "Nats-Msg-Size": "1",
		"Status": "404", "Nats-Sequence": "99999999", "Nats-Subject": facts.Subject(stream, "place"), "Nats-Schedule": "@every 1s", "Nats-Schedule-Target": facts.Subject(stream, "place"),
	} {
		all = append(all, attack{"tell with " + name, team.Put + "facts." + name, "", "x", nats.Header{name: {value}}})
	}
	return append(all,
		attack{"tell as a colleague", team.Put + "facts." + stream + "-place", "", "x", nil},
		attack{"tell 1 MB", team.Put + "facts.place", "", strings.Repeat("x", 1<<20-100), nil},
		attack{"publish as a colleague", strings.Replace(team.Put+"x.1", "x", "0b0b0b0b", 1) + "." + stream, "", "x", nil},
		attack{"roll up", team.Put + "0a0a0a0a.1", "", "x", nats.Header{"Nats-Rollup": {"all"}}},
		attack{"a message's end", team.Put + "0a0a0a0a.1", "", "x", nats.Header{"Nats-TTL": {"1s"}}},
		attack{"expected sequences", team.Put + "0a0a0a0a.1", "", "x", nats.Header{"Nats-Expected-Stream": {stream}, "Nats-Expected-Last-Sequence": {"1"}}},
		attack{"the id of a colleague's message", team.Put + "0a0a0a0a.1", "", "x", nats.Header{"Nats-Msg-Id": {"equal"}}},
		attack{"8 MB", team.Put + "0a0a0a0a.1", "", strings.Repeat("x", 1<<20-100), nil},
	)
}

// A member can do nothing to what others share, whatever she asks and wherever she has it answered, and hears nothing
// of theirs. Where members share one account the same has effect: the table can fail.
func TestNobodyTakesTheTeamOver(t *testing.T) {
	t.Parallel()
	for name, nodes := range map[string]int{"one node": 1, "three nodes": 3} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHub(t, nodes)
			eve, bob := h.Member(t, "eve"), h.Member(t, "bob")
			h.Start(t)
			h.Announced(t)
			p := newLaptop(t, bob)
			p.log.add("web", 50)
			p.share(t, "web")
			p.on()
			arrived(t, p)
			p.off()

			bobs := hubtest.As(t, bob)
			inbox, err := bobs.SubscribeSync("told")
			must(t, err)
			testutil.Eventually(t, "bob tells", func() bool {
				_, err := bobs.Request(team.Put+"facts.place", []byte("bob's"), testutil.Patience)
				return err == nil
			})

			nc := hubtest.As(t, eve, nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
			answered := func() bool { // a node that has just joined, or lost whoever leads, knows of nobody who answers
				_, err := nc.Request(team.Get+team.RosterStream, []byte(`{"last_by_subj":"roster"}`), testutil.Patience)
				return err == nil
			}
			testutil.Eventually(t, "eve is answered", answered)
			testutil.Eventually(t, "eve tells", func() bool {
				_, err := nc.Request(team.Put+"facts.place", []byte("eve's"), testutil.Patience)
				return err == nil
			})
			before := stored(t, h, eve.Account)
			for _, a := range attacks(eve.Account, bob.Account, team.Subject(bob.Account, p.member.Device, 1), "told") {
				m := &nats.Msg{Subject: a.subject, Reply: a.reply, Data: []byte(a.body), Header: a.header}
				if a.reply == "" {
					m.Reply = nc.NewInbox()
				}
				must(t, nc.PublishMsg(m))
			}
			// Everybody is answered still, in order behind all of that.
			testutil.Eventually(t, "eve is answered behind all of that", answered)
			if now := stored(t, h, eve.Account); now != before {
				t.Errorf("the hub had\n%s\nand has\n%s", before, now)
			}
			if m, err := inbox.NextMsg(100 * time.Millisecond); err == nil {
				t.Errorf("bob is told %q on %s", m.Data, m.Subject)
			}
			heard := hubtest.As(t, eve)
			var ears []*nats.Subscription
			for _, s := range []string{">", "*", "_INBOX.>", "E.>", "$JS.>", "get.>"} {
				ear, err := heard.SubscribeSync(s)
				must(t, err)
				ears = append(ears, ear)
			}
			must(t, heard.Flush())
			p.on()
			p.log.add("web", 10)
			arrived(t, p)
			must(t, heard.Flush())
			for _, ear := range ears {
				for n, _, _ := ear.Pending(); n > 0; n-- { // answers to what she asked may be among them
					m, err := ear.NextMsg(testutil.Patience)
					if must(t, err); strings.Contains(string(m.Data), "bob") || strings.Contains(string(m.Data), bob.Account) {
						t.Errorf("eve hears %q on %s", m.Data, ear.Subject)
					}
				}
			}
			same(t, reader(t, eve), p, "web")
		})
	}
}

// stored tells which streams there are in a hub's accounts and what is in them, but for the member's own.
func stored(t testing.TB, h *hubtest.Hub, own string) string {
	t.Helper()
	var all []string
	for _, n := range h.Nodes {
		z, err := h.Server(n.Name).Jsz(&server.JSzOptions{Accounts: true, Streams: true, Config: true, Consumer: true})
		must(t, err)
		for _, a := range z.AccountDetails {
			for _, s := range a.Streams {
				if s.Name != own && len(h.Nodes) == 1 || s.Name != own && s.Cluster != nil && s.Cluster.Leader == n.Name {
					all = append(all, fmt.Sprintln(a.Name, s.Name, s.State.FirstSeq, s.State.LastSeq, s.State.Msgs, s.State.NumDeleted, len(s.Consumer), s.Config.MaxMsgs))
				}
			}
		}
	}
	slices.Sort(all)
	return strings.Join(all, "")
}

// The attacks have effect where all are of one account that owns the streams, with permissions for each subject.
func TestOneAccountWouldBeTakenOver(t *testing.T) {
	t.Parallel()
	ports := strings.Split(hubtest.Ports(t), ":")
	config := filepath.Join(t.TempDir(), "one.conf")
	must(t, os.WriteFile(config, fmt.Appendf(nil, `listen: "127.0.0.1:%s"
jetstream { store_dir: %q }
accounts { ALL { jetstream: enabled, users: [
  { user: admin, password: a }
  { user: eve, password: e, permissions: { publish: { allow: ["E.eve.>", "$JS.API.DIRECT.GET.*"], deny: ["$JS.API.STREAM.>"] }, subscribe: ["_INBOX.>"], allow_responses: true } }
] } }
`, ports[0], t.TempDir()), 0o600))
	o, err := server.ProcessConfigFile(config)
	must(t, err)
	o.NoLog, o.NoSigs = true, true
	s, err := server.NewServer(o)
	must(t, err)
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	testutil.Eventually(t, "the server is ready", func() bool { return s.ReadyForConnections(10 * time.Millisecond) })
	connect := func(user, password string) *nats.Conn {
		nc, err := nats.Connect("nats://127.0.0.1:"+ports[0], nats.UserInfo(user, password))
		must(t, err)
		t.Cleanup(nc.Close)
		return nc
	}
	admin := connect("admin", "a")
	js, err := jetstream.New(admin)
	must(t, err)
	for _, name := range []string{"eve", "bob", team.RosterStream} {
		_, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: name, Subjects: []string{"E." + name + ".>"}, AllowDirect: true})
		must(t, err)
		_, err = js.Publish(t.Context(), "E."+name+".d.1", []byte("{}"))
		must(t, err)
	}
	eve := connect("eve", "e")
	forged := func() bool {
		must(t, eve.PublishRequest("$JS.API.DIRECT.GET.eve", "E.bob.d.1", []byte(`{"seq":1}`)))
		s, err := js.Stream(t.Context(), "bob")
		return err == nil && s.CachedInfo().State.Msgs > 1
	}
	testutil.Eventually(t, "a chunk of a colleague is forged", forged)
	testutil.Eventually(t, "a colleague's stream is deleted", func() bool {
		must(t, eve.PublishRequest("$JS.API.DIRECT.GET.eve", "$JS.API.STREAM.DELETE.bob", []byte(`{"seq":1}`)))
		_, err := js.Stream(t.Context(), "bob")
		return err != nil
	})
}
