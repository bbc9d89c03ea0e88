package hubcopy_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"journal/embedded/hubcopy"
	"journal/embedded/hubcopy/hubtest"
	"journal/events"
	"journal/journal"
	"journal/journal/team"
	"journal/journal/team/dial"
	"journal/journal/team/hub"
	"journal/journal/team/peers"
	"journal/journal/testutil"
)

// What a member's keys are answered at the hub, over the whole API of the server: looking at what is
// shared with the one, keeping copies of their own with the other, and nothing of anybody else's.
func TestRightsOfMembers(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile(apiName)
	must(t, err)
	api := strings.Fields(string(b))
	for name, h := range map[string]hub.Hub{"nkeys": {}, "operator": {Operator: &hub.Operator{}}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHubOf(t, h, 1)
			alice, bob := h.Member(t, "alice"), h.Member(t, "bob")
			h.Start(t)
			must(t, h.Announce(t.Context()))
			p := newLaptop(t, bob)
			p.log.add("web", 50)
			p.share(t, "web")
			p.on()
			arrived(t, p)
			stream := hubcopy.HubStream(p.member.Device, 1)

			asks := map[string][]string{}
			for _, prefix := range []string{"$JS.API.", "$JS.hub.API.", "M.bob.API.", "$JS.lap-" + p.member.Device + ".API."} {
				for _, s := range api {
					part := strings.Replace(strings.TrimPrefix(s, "$JS.API."), "*", stream, 1)
					part = strings.ReplaceAll(strings.ReplaceAll(part, "*", "team"), ">", "team")
					asks[prefix] = append(asks[prefix], prefix+strings.TrimSuffix(part, "."))
				}
			}
			reading := answeredTo(t, alice, alice.Reader, asks)
			want := []string{
				"M.bob.API.DIRECT.GET." + stream, "M.bob.API.DIRECT.GET." + stream + ".team",
				"M.bob.API.STREAM.INFO." + stream, "M.bob.API.STREAM.NAMES",
			}
			if !slices.Equal(reading, want) {
				t.Errorf("the key for reading is answered %s, want %s", reading, want)
			}
			uploading := answeredTo(t, alice, alice.Upload, asks)
			// A client says $JS.API where a laptop's link says $JS.hub.API, which is what is permitted.
			if len(uploading) != 0 {
				t.Errorf("the key of the link is answered %s as a client", uploading)
			}
			p.log.add("web", 10)
			arrived(t, p)
			same(t, reader(t, alice, "bob"), p, "web")
		})
	}
}

// refusals of the server are what is tested; nobody has to read them.
var refusals = nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {})

// answeredTo asks everything as somebody, and gives what is answered.
func answeredTo(t *testing.T, in team.Member, k team.Key, asks map[string][]string) (answered []string) {
	t.Helper()
	nc, err := dial.Connect(t.Context(), in, in.Clients, k, nats.CustomInboxPrefix("_INBOX_"+in.Name), refusals)
	must(t, err)
	defer nc.Close()
	return answersOf(nc, asks)
}

// answersOf asks everything over a connection, and gives what is answered.
func answersOf(nc *nats.Conn, asks map[string][]string) (answered []string) {
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, subjects := range asks {
		for _, s := range subjects {
			all.Go(func() {
				body := ""
				if strings.Contains(s, "DIRECT.GET") && !strings.HasSuffix(s, ".team") {
					body = `{"seq":1}`
				}
				if m, err := nc.Request(s, []byte(body), time.Second); err == nil && m.Header.Get("Status") != "503" {
					mu.Lock()
					defer mu.Unlock()
					answered = append(answered, s)
				}
			})
		}
	}
	all.Wait()
	slices.Sort(answered)
	return slices.Compact(answered)
}

// What the key of a link is answered where it is used, on the leaf connection of a server that is not ours:
// keeping copies of one's own, and nothing of anybody else's.
func TestRightsThroughTheLink(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile(apiName)
	must(t, err)
	api := strings.Fields(string(b))
	for name, h := range map[string]hub.Hub{"nkeys": {}, "operator": {Operator: &hub.Operator{}}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHubOf(t, h, 1)
			alice, bob := h.Member(t, "alice"), h.Member(t, "bob")
			h.Start(t)
			own, others := newLaptop(t, alice), newLaptop(t, bob)
			for _, p := range []*laptop{own, others} {
				p.log.add("web", 50)
				p.share(t, "web")
				p.on()
				arrived(t, p)
			}
			nc := leafOf(t, alice, "intruder", nats.CustomInboxPrefix("_INBOX_alice"), refusals)
			answered := func(device string) []string {
				asks := map[string][]string{}
				for _, prefix := range []string{"$JS.hub.API.", "M.bob.API.", "$JS.lap-" + others.member.Device + ".API."} {
					for _, s := range api {
						part := strings.Replace(strings.TrimPrefix(s, "$JS.API."), "*", hubcopy.HubStream(device, 1), 1)
						part = strings.ReplaceAll(strings.ReplaceAll(part, "*", "team"), ">", "team")
						if part != "STREAM.DELETE."+hubcopy.HubStream(device, 1) { // which it may: the copy is to be there
							asks[prefix] = append(asks[prefix], prefix+strings.TrimSuffix(part, "."))
						}
					}
				}
				return answersOf(nc, asks)
			}
			stream := hubcopy.HubStream(own.member.Device, 1)
			want := []string{
				"$JS.hub.API.DIRECT.GET." + stream, "$JS.hub.API.STREAM.CREATE." + stream, "$JS.hub.API.STREAM.INFO." + stream, "$JS.hub.API.STREAM.NAMES",
			}
			if got := answered(own.member.Device); !slices.Equal(got, want) {
				t.Errorf("of her own it is answered %s, want %s", got, want)
			}
			// There are no such streams in her account, and it may not look into another.
			for _, s := range []string{"STREAM.INFO.", "STREAM.CREATE.", "DIRECT.GET."} {
				s = "$JS.hub.API." + s + hubcopy.HubStream(others.member.Device, 1)
				if m, err := nc.Request(s, nil, time.Second); err == nil && m.Header.Get("Status") == "" && !strings.Contains(string(m.Data), `"error":{"code":`) {
					t.Errorf("%s is answered %s", s, m.Data)
				}
			}
			for _, p := range []*laptop{own, others} {
				p.log.add("web", 10)
				arrived(t, p)
				same(t, reader(t, bob, p.member.Name), p, "web")
			}
		})
	}
}

// leafOf joins a server of anybody's to the hub with the key of a member's link, and gives a connection to
// it. Everything that the server's global account has is on that link.
func leafOf(t testing.TB, in team.Member, name string, o ...nats.Option) *nats.Conn {
	t.Helper()
	u, err := url.Parse(in.Hub[0])
	must(t, err)
	remote := &server.RemoteLeafOpts{URLs: []*url.URL{u}, Nkey: in.Upload.Seed}
	if in.Upload.Creds != "" {
		remote.Credentials = filepath.Join(t.TempDir(), "creds")
		must(t, os.WriteFile(remote.Credentials, []byte(in.Upload.Creds), 0o600))
	}
	ns, err := server.NewServer(&server.Options{
		ServerName: name, DontListen: true, NoSigs: true, NoLog: true,
		LeafNode: server.LeafNodeOpts{ReconnectInterval: 100 * time.Millisecond, Remotes: []*server.RemoteLeafOpts{remote}},
	})
	must(t, err)
	ns.Start()
	t.Cleanup(func() { ns.Shutdown(); ns.WaitForShutdown() })
	nc, err := nats.Connect("", append(o, nats.InProcessServer(ns))...)
	must(t, err)
	t.Cleanup(nc.Close)
	testutil.Eventually(t, name+" is joined", func() bool { return ns.NumLeafNodes() > 0 })
	return nc
}

// Each thing that the link's key is permitted is needed: without it a copy does not come, go on, or go.
func TestEachPermissionIsNeeded(t *testing.T) {
	t.Parallel()
	for _, without := range []string{
		"", `"dlv.>", `, `"$JSC.R.>", `, `"$JS.hub.API.STREAM.NAMES", `, `"$JS.hub.API.STREAM.INFO.*", `, `"$JS.hub.API.STREAM.CREATE.*", `,
		`"$JS.hub.API.STREAM.DELETE.*", `, `, "$JS.hub.API.DIRECT.GET.*"`, `"$JS.*.API.CONSUMER.>", `, `, "_INBOX_alice.>"`,
	} {
		t.Run(without, func(t *testing.T) {
			t.Parallel()
			h := newHub(t, 1)
			alice := h.Member(t, "alice")
			permitWithout(t, h, without)
			h.Start(t)
			p := newLaptop(t, alice)
			p.log.add("web", 100)
			p.share(t, "web")
			p.on()
			// It comes within a second or two, on a busy machine too; where it has to come it is waited for.
			while := 5 * time.Second
			if without == "" {
				while = testutil.Patience
			}
			whole := func() bool {
				done := func(n uint64) bool {
					return testutil.Within(while, func() bool { s := p.status(t); return s.Connected && s.Hub == n && s.Problem == "" })
				}
				if !done(100) {
					return false
				}
				p.off()
				p.log.add("web", 10)
				p.on()
				if !done(110) {
					return false
				}
				p.share(t)
				return testutil.Within(while, func() bool {
					c, err := team.LoadCopy(p.dir)
					return err == nil && c.Share.None() && len(c.AtHub) == 0
				})
			}()
			if whole != (without == "") {
				t.Errorf("without %s a copy comes, goes on and goes: %v", without, whole)
			}
		})
	}
}

// More than may be on its way at once arrives, and that is what the hub's confirmations are permitted for.
func TestMoreThanMayBePending(t *testing.T) {
	t.Parallel()
	const n = 101_000
	for _, without := range []string{"", `"$JS.FC.>", `} {
		t.Run(without, func(t *testing.T) {
			t.Parallel()
			h := newHub(t, 1)
			alice := h.Member(t, "alice")
			permitWithout(t, h, without)
			h.Start(t)
			p := newLaptop(t, alice)
			p.log.add("hidden", n) // each has a place in the copy, without content
			p.share(t, "web")
			p.on()
			testutil.Eventually(t, "all of it is copied here, and it began", func() bool { s := p.status(t); return s.Local == n && s.Hub > 0 })
			while := testutil.Patience
			if without != "" {
				while = 5 * time.Second
			}
			if came := testutil.Within(while, func() bool { return p.status(t).Hub == n }); came != (without == "") {
				t.Errorf("without %s all of it comes: %v, %+v", without, came, p.status(t))
			}
		})
	}
}

// Each thing that readers are permitted is needed: without it they do not learn who is in the team, or what
// they share.
func TestEachPermissionOfReadersIsNeeded(t *testing.T) {
	t.Parallel()
	service := func(s string) string {
		return `{ service: { account: M_alice, subject: "$JS.API.` + s + `" }, to: "M.alice.API.` + s + `" }`
	}
	for _, without := range []string{
		"", `"M.*.API.>", `, `, "$JS.API.DIRECT.GET.ROSTER"`, `subscribe: { allow: ["_INBOX_alice.>"] }`,
		`{ service: { account: ROSTER, subject: "$JS.API.DIRECT.GET.MEMBERS" }, to: "$JS.API.DIRECT.GET.ROSTER" }`,
		service("STREAM.NAMES"), service("STREAM.INFO.*"), service("DIRECT.GET.*"), service("DIRECT.GET.*.>"),
	} {
		t.Run(without, func(t *testing.T) {
			t.Parallel()
			h := newHub(t, 1)
			alice := h.Member(t, "alice")
			permitWithout(t, h, without)
			h.Start(t)
			must(t, h.Announce(t.Context()))
			p := newLaptop(t, alice)
			p.log.add("web", 100)
			p.share(t, "web")
			p.on()
			testutil.Eventually(t, "the hub has it", func() bool { return p.status(t).Hub == 100 })
			ctx, cancel := context.WithTimeout(t.Context(), testutil.Patience)
			if without != "" {
				ctx, cancel = context.WithTimeout(t.Context(), 5*time.Second)
			}
			defer cancel()
			whole := func() error {
				nc, err := peers.Connect(ctx, alice)
				if err != nil {
					return err
				}
				defer nc.Close()
				names, err := peers.Members(ctx, nc)
				if err != nil || !slices.Equal(names, []string{"alice"}) {
					return fmt.Errorf("%s: %w", names, err)
				}
				copies, err := peers.Of(ctx, nc, "alice")
				if err != nil || len(copies) != 1 {
					return fmt.Errorf("%d copies: %w", len(copies), err)
				}
				n := 0
				for _, err := range copies[0].Log().Stored(ctx, events.Span{}) {
					if err != nil {
						return err
					}
					n++
				}
				if n != 100 {
					return fmt.Errorf("%d of 100", n)
				}
				_, err = copies[0].Log().LastOf(ctx, journal.Session{Project: "web", ID: "s"})
				if errors.Is(err, events.ErrMalformed) {
					return nil // it came, and the log of this test holds texts
				}
				return err
			}()
			if (whole == nil) != (without == "") {
				t.Errorf("without %s all can be read: %v", without, whole)
			}
		})
	}
}

// permitWithout takes a permission out of what a hub says of its accounts.
func permitWithout(t testing.TB, h *hubtest.Hub, without string) {
	t.Helper()
	path := filepath.Join(h.Dir, "accounts.conf")
	b, err := os.ReadFile(path)
	must(t, err)
	if !strings.Contains(string(b), without) {
		t.Fatalf("%s is not permitted in:\n%s", without, b)
	}
	instead := ""
	if strings.HasPrefix(without, "subscribe") {
		instead = `subscribe: { deny: ">" }`
	}
	must(t, os.WriteFile(path, []byte(strings.Replace(string(b), without, instead, 1)), 0o600))
}
