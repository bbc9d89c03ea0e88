// Package hubtest runs a team's hub for tests: nats-server, in the process of the test, with what
// journal team init wrote.
package hubtest

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"journal/cmd/testkit/testutil"
	"journal/embedded/team"
	"journal/embedded/team/dial"
	"journal/embedded/team/hub"
)

// Hub is a hub whose nodes run in this process.
type Hub struct {
	*hub.Hub
	Dir   string
	nodes map[string]*server.Server
}

// New makes a hub of so many nodes on loopback, as h wants it, in dir. It does not start it.
func New(t testing.TB, dir string, h hub.Hub, nodes int) *Hub {
	t.Helper()
	for i := range nodes {
		n, err := hub.ParseNode("127.0.0.1:"+Ports(t), i+1)
		if err != nil {
			t.Fatal(err)
		}
		h.Nodes = append(h.Nodes, n)
	}
	h.Team = "acme"
	made, err := hub.Create(t.Context(), dir, h)
	if err != nil {
		t.Fatal(err)
	}
	return open(t, made, dir)
}

// Open returns the hub that journal team init wrote into dir. It does not start it.
func Open(t testing.TB, dir string) *Hub {
	t.Helper()
	h, err := hub.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return open(t, h, dir)
}

func open(t testing.TB, h *hub.Hub, dir string) *Hub {
	x := &Hub{h, dir, map[string]*server.Server{}}
	t.Cleanup(x.StopAll)
	return x
}

// span is the number of ports that one process assigns: the first is its door, which it listens on for as long as it lives, so that
// no other process gives those behind it, also while a hub is stopped.
const span = 1_000

// door is the door of this process: the first free one from 10,000 on. All ports lie below those
// that a system assigns by itself.
var door = sync.OnceValues(func() (net.Listener, error) {
	for port := 10_000; port < 30_000; port += span {
		if l, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", port)); err == nil {
			return l, nil
		}
	}
	return nil, errors.New("no door is free from port 10000 to 29999")
})

// given counts the ports that this process asked for: no two hubs are told the same, also before they listen.
var given atomic.Int64

// Ports returns the free ports of a node, as hub.ParseNode reads them.
func Ports(t testing.TB) string {
	t.Helper()
	held, err := door()
	must(t, err)
	first := held.Addr().(*net.TCPAddr).Port
	var all []string
	for tries := 0; len(all) < 2; tries++ {
		port := fmt.Sprint(first + 1 + int(given.Add(1))%(span-1))
		l, err := net.Listen("tcp", "127.0.0.1:"+port)
		if err == nil {
			defer l.Close()
			all = append(all, port)
		} else if tries > 100 {
			t.Fatal(err)
		}
	}
	return strings.Join(all, ":")
}

// options reads a node's configuration as a server does that was started in the hub's directory.
func (h *Hub) options(t testing.TB, name string) *server.Options {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(h.Dir, name+".conf"))
	if err != nil {
		t.Fatal(err)
	}
	running, text := filepath.Join(h.Dir, name+".running"), string(b)
	for _, file := range []string{"jetstream-" + name, "accounts-" + name, name + ".route.pem"} {
		text = strings.ReplaceAll(text, strconv.Quote(file), strconv.Quote(filepath.Join(h.Dir, file)))
	}
	if err := os.WriteFile(running, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o, err := server.ProcessConfigFile(running)
	if err != nil {
		t.Fatal(err)
	}
	o.NoLog, o.NoSigs = true, true
	return o
}

// Start starts every node that does not run, and waits until they take streams.
func (h *Hub) Start(t testing.TB) {
	t.Helper()
	for _, n := range h.Nodes {
		if h.nodes[n.Name] == nil {
			h.nodes[n.Name] = h.listening(t, n.Name)
		}
	}
	for _, s := range h.nodes {
		testutil.Eventually(t, "the hub is ready", func() bool {
			return s.ReadyForConnections(10*time.Millisecond) && (len(h.Nodes) == 1 || s.JetStreamIsCurrent())
		})
	}
}

// listening starts a node again until it has its port: a process that is being forked holds the one of a node that was
// stopped until it runs its program.
func (h *Hub) listening(t testing.TB, name string) (s *server.Server) {
	t.Helper()
	testutil.Eventually(t, "the port of "+name+" is free", func() bool {
		var err error
		s, err = server.NewServer(h.options(t, name))
		must(t, err)
		if s.Start(); s.Addr() == nil {
			s.Shutdown()
			s.WaitForShutdown()
		}
		return s.Addr() != nil
	})
	return s
}

// Stop stops a node, if it runs.
func (h *Hub) Stop(name string) {
	if s := h.nodes[name]; s != nil {
		s.Shutdown()
		s.WaitForShutdown()
		delete(h.nodes, name)
	}
}

// StopAll stops every node.
func (h *Hub) StopAll() {
	for _, n := range h.Nodes {
		h.Stop(n.Name)
	}
}

// Reread has every node read its configuration again.
func (h *Hub) Reread(t testing.TB) {
	t.Helper()
	for name, s := range h.nodes {
		must(t, s.ReloadOptions(h.options(t, name)))
	}
}

// Announced has the nodes read who is in the team, and tell it.
func (h *Hub) Announced(t testing.TB) {
	t.Helper()
	must(t, h.Reload(t.Context()))
	must(t, h.Announce(t.Context()))
}

// As reaches a hub as a member.
func As(t testing.TB, in team.Member, o ...nats.Option) *nats.Conn {
	t.Helper()
	nc, err := dial.Connect(t.Context(), in, in.Hub, in.Key, o...)
	must(t, err)
	t.Cleanup(nc.Close)
	return nc
}

// Forge puts where a member of a hub that runs shares what nobody signed.
func Forge(t testing.TB, in team.Member) {
	t.Helper()
	_, err := As(t, in).Request(team.Put+"0f0f0f0f.1", []byte("forged"), testutil.Patience)
	must(t, err)
}

// Server is a node that runs, nil for one that does not.
func (h *Hub) Server(name string) *server.Server { return h.nodes[name] }

// Member invites somebody.
func (h *Hub) Member(t testing.TB, name string) team.Member {
	t.Helper()
	in, err := h.Invite(name)
	must(t, err)
	return in[0]
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
