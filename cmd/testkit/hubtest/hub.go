// Package hubtest runs a team's hub for tests: nats-server in the process of the test, with the files that journal team init
// writes.
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
	Dir   string                    // the files of the hub
	nodes map[string]*server.Server // running nodes by name
}

// New creates a hub in dir with the settings of h and a number of nodes on loopback. It does not start the hub.
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

// Open returns the hub that journal team init created in dir. It does not start the hub.
func Open(t testing.TB, dir string) *Hub {
	t.Helper()
	h, err := hub.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return open(t, h, dir)
}

// open returns a hub whose nodes are stopped when the test ends.
func open(t testing.TB, h *hub.Hub, dir string) *Hub {
	x := &Hub{h, dir, map[string]*server.Server{}}
	t.Cleanup(x.StopAll)
	return x
}

// span is the number of ports that one process has for its nodes. The process listens on the first port until it ends. So no other
// process assigns the ports behind the first one, even while a hub is stopped.
const span = 1_000

// reserved listens on the first port of this process: the first free port in steps of span from 10,000. All ports are below those
// that a system assigns by itself.
var reserved = sync.OnceValues(func() (net.Listener, error) {
	for port := 10_000; port < 30_000; port += span {
		if l, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", port)); err == nil {
			return l, nil
		}
	}
	return nil, errors.New("no port can be reserved from 10000 to 29999")
})

// assigned counts the ports that this process tried. Two nodes get the same port only after all others were tried.
var assigned atomic.Int64

// Ports returns two free ports for a node, as hub.ParseNode reads them.
func Ports(t testing.TB) string {
	t.Helper()
	listener, err := reserved()
	noError(t, err)
	first := listener.Addr().(*net.TCPAddr).Port
	var all []string
	for tries := 0; len(all) < 2; tries++ {
		port := fmt.Sprint(first + 1 + int(assigned.Add(1))%(span-1))
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

// options reads a node's configuration. It resolves relative paths in the hub's directory, and writes the result into a file
// beside the configuration.
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

// Start starts every node that does not run, and waits until all nodes can create streams.
func (h *Hub) Start(t testing.TB) {
	t.Helper()
	for _, n := range h.Nodes {
		if h.nodes[n.Name] == nil {
			h.nodes[n.Name] = h.startNode(t, n.Name)
		}
	}
	for _, s := range h.nodes {
		testutil.Eventually(t, "the hub is ready", func() bool {
			return s.ReadyForConnections(10*time.Millisecond) && (len(h.Nodes) == 1 || s.JetStreamIsCurrent())
		})
	}
}

// startNode starts a node, and retries until the node listens on its port. The port of a stopped node stays open for a moment in a
// child process that this process has forked, until the child runs its program.
func (h *Hub) startNode(t testing.TB, name string) (s *server.Server) {
	t.Helper()
	testutil.Eventually(t, "the port of "+name+" is free", func() bool {
		var err error
		s, err = server.NewServer(h.options(t, name))
		noError(t, err)
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

// Reread makes every running node read its configuration again.
func (h *Hub) Reread(t testing.TB) {
	t.Helper()
	for name, s := range h.nodes {
		noError(t, s.ReloadOptions(h.options(t, name)))
	}
}

// Announced makes the nodes reload the members of the team, and announces the members (hub.Announce).
func (h *Hub) Announced(t testing.TB) {
	t.Helper()
	noError(t, h.Reload(t.Context()))
	noError(t, h.Announce(t.Context()))
}

// As returns a connection to the hub of a member, with the rights of the member. It is closed when the test ends.
func As(t testing.TB, in team.Member, o ...nats.Option) *nats.Conn {
	t.Helper()
	nc, err := dial.Connect(t.Context(), in, in.Hub, in.Key, o...)
	noError(t, err)
	t.Cleanup(nc.Close)
	return nc
}

// Forge uploads a message of a member that nobody signed.
func Forge(t testing.TB, in team.Member) {
	t.Helper()
	_, err := As(t, in).Request(team.Put+"0f0f0f0f.1", []byte("forged"), testutil.Patience)
	noError(t, err)
}

// Server returns a running node, nil for one that does not run.
func (h *Hub) Server(name string) *server.Server { return h.nodes[name] }

// Member invites a member and returns the invitation.
func (h *Hub) Member(t testing.TB, name string) team.Member {
	t.Helper()
	in, err := h.Invite(name)
	noError(t, err)
	return in[0]
}

// noError fails the test at an error.
func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
