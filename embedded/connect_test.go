package embedded

import (
	"log/slog"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// late is a server whose connections are slow on both sides, as in a process that was stopped for a while or gets little time.
type late struct {
	*server.Server
	greets, answers time.Duration // how late the client has the server's greeting, and the server the client's answer
}

func (l late) InProcessConn() (net.Conn, error) {
	conn, err := l.Server.InProcessConn()
	return &lateConn{Conn: conn, l: l}, err
}

type lateConn struct {
	net.Conn
	l             late
	reads, writes sync.Once
}

func (c *lateConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.reads.Do(func() { time.Sleep(c.l.greets) })
	return n, err
}

func (c *lateConn) Write(b []byte) (int, error) {
	c.writes.Do(func() { time.Sleep(c.l.answers) })
	return c.Conn.Write(b)
}

// An owner on a busy machine has enough time to connect to its own server. The clock is that of synctest.
func TestOwnerConnectsLate(t *testing.T) {
	t.Parallel()
	for name, l := range map[string]late{
		"the client": {answers: 20 * time.Second},
		"the server": {greets: 20 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				s := &Server{log: slog.New(slog.DiscardHandler), auth: &authenticator{owner: newSecret()}}
				opts, err := s.options(dir, "")
				if err != nil {
					t.Fatal(err)
				}
				if s.ns, err = server.NewServer(opts); err != nil {
					t.Fatal(err)
				}
				defer s.ns.WaitForShutdown()
				defer s.ns.Shutdown()
				s.ns.Start()
				l.Server = s.ns
				nc, err := s.connect(l, ownerUser)
				if err != nil {
					t.Fatal(err)
				}
				nc.Close()
			})
		})
	}
}
