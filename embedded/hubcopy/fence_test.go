package hubcopy_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"journal/embedded/hubcopy/hubtest"
	"journal/journal/team"
	"journal/journal/testutil"
	"journal/journal/wire"
)

// apiName holds the subjects of the server's API, sorted. One that is new there is to be looked at:
// what could a hub do with it to a laptop?
const apiName = "testdata/api.txt"

// apiOf gives the subjects of the API that the source of the linked server names, with * for what is
// filled in.
func apiOf(t *testing.T) (all []string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.Dir}}", "github.com/nats-io/nats-server/v2/server").Output()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if s, err := strconv.Unquote(lit.Value); err == nil && strings.HasPrefix(s, "$JS.API.") && len(s) > len("$JS.API.") {
					all = append(all, strings.ReplaceAll(s, "%s", "*"))
				}
			}
			return true
		})
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// withRoot lets a client called root do everything in a member's account at the hub.
func withRoot(t *testing.T, h *hubtest.Hub, member string) {
	t.Helper()
	path := filepath.Join(h.Dir, "accounts.conf")
	b, err := os.ReadFile(path)
	must(t, err)
	_, rest, ok := strings.Cut(string(b), "M_"+member+" {")
	if !ok {
		t.Fatalf("no account of %s in:\n%s", member, b)
	}
	opened := strings.Replace(rest, "users: [", "users: [ { user: root, password: root }", 1)
	must(t, os.WriteFile(path, []byte(strings.Replace(string(b), rest, opened, 1)), 0o600))
}

func rootAt(t *testing.T, in team.Member) *nats.Conn {
	t.Helper()
	nc, err := nats.Connect(in.Clients[0], nats.UserInfo("root", "root"))
	must(t, err)
	t.Cleanup(nc.Close)
	return nc
}

// A hub with all rights can set back the consumer of its copy, and nothing else.
func TestHubReachesNothing(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile(apiName)
	must(t, err)
	known, api := strings.Fields(string(b)), apiOf(t)
	if !slices.Equal(known, api) {
		t.Errorf("the server's API is not that of %s; look at what differs, then write:\n%s", apiName, strings.Join(api, "\n"))
	}
	h := newHub(t, 1)
	alice, bob := h.Member(t, "alice"), h.Member(t, "bob")
	withRoot(t, h, "alice")
	h.Start(t)
	p := newLaptop(t, alice)
	p.log.add("web", 200)
	p.share(t, "web")
	p.on()
	arrived(t, p)

	root := rootAt(t, alice)
	domain := "$JS.lap-" + p.member.Device + ".API."
	var ask []string
	for _, s := range slices.Concat(known, api) {
		part := strings.TrimPrefix(s, "$JS.API.")
		for _, names := range [][2]string{{"COPY_1", "team"}, {"JOURNAL_1", "team"}, {"other", "other"}} {
			s := strings.Replace(part, "*", names[0], 1)
			s = strings.ReplaceAll(strings.ReplaceAll(s, "*", names[1]), ">", names[1])
			ask = append(ask, domain+s, domain+strings.TrimSuffix(s, "."+names[1]))
		}
	}
	ask = append(ask, "journal.web.s.prompt.submitted", wire.Append, wire.Status, wire.Drain, wire.Stop, wire.Retire, wire.Confirm, wire.State, "$SYS.REQ.SERVER.PING", "_INBOX.x")
	slices.Sort(ask)
	var answers sync.Map
	var all sync.WaitGroup
	for _, s := range slices.Compact(ask) {
		all.Go(func() {
			for _, body := range []string{
				"", `{"seq":1}`, `{"name":"COPY_1"}`, `{"pause_until":"2999-01-01T00:00:00Z"}`,
				`{"stream_name":"COPY_1","config":{"durable_name":"other","name":"other","ack_policy":"none"}}`,
			} {
				// Answers may leave the laptop on such subjects, and on no others.
				inbox := "$JSC.R.root." + nats.NewInbox()
				sub, err := root.SubscribeSync(inbox)
				if err == nil {
					err = root.PublishRequest(s, inbox, []byte(body))
				}
				if err != nil {
					answers.Store(s, err.Error())
					return
				}
				if m, err := sub.NextMsg(500 * time.Millisecond); err == nil && m.Header.Get("Status") == "" {
					if was, ok := answers.Load(s); !ok || strings.Contains(was.(string), `"error":`) {
						answers.Store(s, string(m.Data))
					}
				}
			}
		})
	}
	all.Wait()
	answers.Range(func(subject, answer any) bool {
		// The server looks at how a question is put before it sees that the account has no streams.
		if subject != domain+"CONSUMER.RESET.COPY_1.team" && !strings.Contains(answer.(string), `"error":{"code":`) {
			t.Errorf("%s is answered: %.200s", subject, answer)
		}
		return true
	})
	if _, ok := answers.Load(domain + "CONSUMER.RESET.COPY_1.team"); !ok {
		t.Error("not even RESET is answered: this test sees nothing")
	}
	p.log.add("web", 20)
	arrived(t, p)
	same(t, reader(t, bob, "alice"), p, "web")
	var made []string
	for _, pattern := range []string{"*", "*/streams/*", "*/streams/*/obs/*"} {
		found, err := filepath.Glob(filepath.Join(team.StoreDir(p.dir), "jetstream", filepath.FromSlash(pattern)))
		must(t, err)
		for _, path := range found {
			made = append(made, filepath.Base(path))
		}
	}
	if want := []string{"$G", "COPY_1", "team"}; !slices.Equal(made, want) {
		t.Errorf("the copy's server has %s, want %s", made, want)
	}
}

// The servers' own account does not reach laptops either.
func TestSystemAccountEndsAtTheHub(t *testing.T) {
	t.Parallel()
	h := newHub(t, 1)
	alice := h.Member(t, "alice")
	h.Start(t)
	p := newLaptop(t, alice)
	p.on()
	testutil.Eventually(t, "the hub answers", func() bool { return p.status(t).Connected })
	admin := alice
	admin.Reader = h.Admin
	nc := reach(t, admin)
	inbox := nc.NewRespInbox()
	sub, err := nc.SubscribeSync(inbox)
	must(t, err)
	must(t, nc.PublishRequest("$SYS.REQ.SERVER.PING", inbox, nil))
	var servers []string
	for {
		m, err := sub.NextMsg(500 * time.Millisecond)
		if err != nil {
			break
		}
		servers = append(servers, string(m.Data))
	}
	if len(servers) != 1 || !strings.Contains(servers[0], `"node-1"`) {
		t.Errorf("%d servers answer, want the hub's: %s", len(servers), servers)
	}
}

// Two devices of one member, and those of two, do not throw each other out, and have copies of their own.
func TestDevicesBesideEachOther(t *testing.T) {
	t.Parallel()
	h := newHub(t, 1)
	alice, bob := h.Member(t, "alice"), h.Member(t, "bob")
	h.Start(t)
	var all []*laptop
	for i, in := range []team.Member{alice, alice, bob} {
		p := newLaptop(t, in)
		p.log.add(fmt.Sprintf("web%d", i), 100+i)
		p.share(t, fmt.Sprintf("web%d", i))
		p.on()
		all = append(all, p)
	}
	for i, p := range all {
		arrived(t, p)
		of := p.member.Name
		same(t, reader(t, bob, of), p, fmt.Sprintf("web%d", i))
	}
	z, err := h.Server("node-1").Leafz(nil)
	must(t, err)
	c, err := h.Server("node-1").Connz(&server.ConnzOptions{State: server.ConnClosed})
	must(t, err)
	if z.NumLeafs != 3 {
		t.Errorf("%d laptops are joined, want 3", z.NumLeafs)
	}
	for _, closed := range c.Conns {
		if strings.Contains(closed.Reason, "Duplicate") {
			t.Errorf("%s was closed: %s", closed.Name, closed.Reason)
		}
	}
}

// What the fence and the names are for: with an open leaf and one name for all, as journals have at home,
// two laptops throw each other out and store each other's events, and the hub removes a laptop's log. If
// this does not hold any more, the tests above say nothing.
func TestOpenLeafIsNone(t *testing.T) {
	t.Parallel()
	h := newHub(t, 1)
	alice := h.Member(t, "alice")
	withRoot(t, h, "alice")
	h.Start(t)
	open := func(name, domain string) jetstream.JetStream {
		u, err := url.Parse(alice.Hub[0])
		must(t, err)
		u.User = url.UserPassword("root", "root")
		ns, err := server.NewServer(&server.Options{
			ServerName: name, DontListen: true, NoSigs: true, NoLog: true, JetStream: true, StoreDir: t.TempDir(), JetStreamDomain: domain,
			LeafNode: server.LeafNodeOpts{ReconnectInterval: 100 * time.Millisecond, Remotes: []*server.RemoteLeafOpts{{URLs: []*url.URL{u}}}},
		})
		must(t, err)
		ns.Start()
		t.Cleanup(func() { ns.Shutdown(); ns.WaitForShutdown() })
		nc, err := nats.Connect("", nats.InProcessServer(ns))
		must(t, err)
		t.Cleanup(nc.Close)
		js, err := jetstream.New(nc)
		must(t, err)
		_, err = js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "JOURNAL_1", Subjects: []string{"journal.>"}})
		must(t, err)
		return js
	}
	messages := func(js jetstream.JetStream) uint64 {
		s, err := js.Stream(t.Context(), "JOURNAL_1")
		if err != nil {
			return 0
		}
		return s.CachedInfo().State.Msgs
	}
	one, other := open("one", "lap-1"), open("other", "lap-2")
	testutil.Eventually(t, "one has the other's event", func() bool {
		_, err := one.Publish(t.Context(), "journal.web.s.prompt.submitted", []byte("hers"))
		must(t, err)
		return messages(other) > 0
	})
	m, err := rootAt(t, alice).Request("$JS.lap-2.API.STREAM.DELETE.JOURNAL_1", nil, 5*time.Second)
	if err != nil || !strings.Contains(string(m.Data), `"success":true`) || messages(other) != 0 {
		t.Errorf("an open laptop's log is not removed: %v, %v", m, err)
	}
	open("journal", "lap-3")
	open("journal", "lap-4")
	testutil.Eventually(t, "they throw each other out", func() bool {
		c, err := h.Server("node-1").Connz(&server.ConnzOptions{State: server.ConnClosed})
		must(t, err)
		return slices.ContainsFunc(c.Conns, func(c *server.ConnInfo) bool { return strings.Contains(c.Reason, "Duplicate") })
	})
}
