package embedded

import (
	"log/slog"
	"net"
	"os"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"journal/embedded/store/ownership"
)

// Server is the running owner of a directory. Its methods may be called
// concurrently.
type Server struct {
	lock    *ownership.Lock
	scratch string // directory of the store without a lock (see Scratch)
	grace   time.Duration
	log     *slog.Logger
	opening Opening
	broken  bool // see Discard
	door    *doorman
	ns      *server.Server
	nc      *nats.Conn

	accepting sync.WaitGroup // the accept loop
	bridging  sync.WaitGroup // the bridged connections

	mu       sync.Mutex
	seq      uint64
	head     string
	listener *net.UnixListener
	path     string      // of the socket
	socket   os.FileInfo // of the socket file we made
	bridges  map[*bridge]struct{}
	stopped  bool        // accepts no more connections
	context  contextFile // zero if none was written

	looking sync.Mutex
	illness error // what was believed of its health once; see Healthy

	closing  sync.Mutex
	closed   bool
	closeErr error
}

// Conn is the owner's own connection, with all rights. It is the only one
// that may publish to journal.> and create streams. It is closed by Close.
func (s *Server) Conn() *nats.Conn { return s.nc }

// Opening says in what condition the store was found.
func (s *Server) Opening() Opening { return s.opening }

// Discard is Close of a server that could not be used: the store does not count as clean after it.
func (s *Server) Discard() error {
	s.mu.Lock()
	s.broken = true
	s.mu.Unlock()
	return s.Close()
}

// SetHead tells what the last stored record is, its sequence and hash, for the
// clean marker and through it for the next owner's Opening. Call it with the
// final state before Close.
func (s *Server) SetHead(seq uint64, hash string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seq, s.head = seq, hash
}

// ClientURL is where NATS tools connect, or "" without Options.Listen.
func (s *Server) ClientURL() string {
	if s.door.tool == "" {
		return ""
	}
	return s.ns.ClientURL()
}

// Credentials are the user and password for ClientURL. The password is new at
// each start. Both are "" without Options.Listen.
func (s *Server) Credentials() (user, password string) {
	if s.door.tool == "" {
		return "", ""
	}
	return toolUser, s.door.tool
}

// Clients is the number of connections beside the owner's own: local ones and,
// with Options.Listen, those of tools.
func (s *Server) Clients() int { return max(0, s.ns.NumClients()-1) }
