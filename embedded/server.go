package embedded

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"sync"
	"syscall"
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
	usher   *nats.Conn // to the account of tools; nil without one

	accepting sync.WaitGroup // the accept loop
	bridging  sync.WaitGroup // the bridged connections

	mu       sync.Mutex
	stream   string // that has the head; empty if nobody told a new one
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

// SetHead tells what the last stored record of the log's stream is, its sequence
// and hash, for the clean marker and through it for the next owner's Opening.
// Call it with the final state before Close.
func (s *Server) SetHead(stream string, seq uint64, hash string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stream, s.seq, s.head = stream, seq, hash
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
func (s *Server) Clients() int {
	own := 1
	if s.usher != nil {
		own++
	}
	return max(0, s.ns.NumClients()-own)
}

// CheckListen reports whether an Options.Listen can be listened on now: it is a literal
// loopback address (ErrNotLoopback), and nobody else has the port.
func CheckListen(listen string) error {
	if _, _, err := parseListen(listen); err != nil {
		return err
	}
	l, err := net.Listen("tcp", listen)
	if err != nil {
		if why := syscall.Errno(0); errors.As(err, &why) {
			err = why // the rest of it names the address again
		}
		return fmt.Errorf("listen on %s: %w", listen, err)
	}
	return l.Close()
}

// parseListen returns the host and port of an Options.Listen for the server.
// Names are refused: what "localhost" means is for a resolver to say.
func parseListen(listen string) (host string, port int, err error) {
	ap, err := netip.ParseAddrPort(listen)
	if err != nil {
		return "", 0, fmt.Errorf("%w: %q", ErrNotLoopback, listen)
	}
	if !ap.Addr().IsLoopback() {
		return "", 0, fmt.Errorf("%w: %s", ErrNotLoopback, listen)
	}
	return ap.Addr().String(), cmp.Or(int(ap.Port()), server.RANDOM_PORT), nil
}

// Lines gives a server's log lines to slog. The server reports failures of
// its start only through Fatalf and then carries on half started, so the first
// one is kept for whoever started it to find.
type Lines struct {
	Out *slog.Logger

	mu    sync.Mutex
	fatal string
}

// Noticef takes a notice, which is for debugging here.
func (l *Lines) Noticef(format string, v ...any) { l.Out.Debug(logLine(format, v)) }

// Warnf takes a warning.
func (l *Lines) Warnf(format string, v ...any) { l.Out.Warn(logLine(format, v)) }

// Errorf takes an error.
func (l *Lines) Errorf(format string, v ...any) { l.Out.Error(logLine(format, v)) }

// Debugf takes a line for debugging.
func (l *Lines) Debugf(format string, v ...any) { l.Out.Debug(logLine(format, v)) }

// Tracef takes a line for debugging.
func (l *Lines) Tracef(format string, v ...any) { l.Out.Debug(logLine(format, v)) }

// Fatalf takes what the server would end the process for.
func (l *Lines) Fatalf(format string, v ...any) {
	s := logLine(format, v)
	l.mu.Lock()
	l.fatal = cmp.Or(l.fatal, s)
	l.mu.Unlock()
	l.Out.Error(s)
}

// Failure is the first fatal line, or "".
func (l *Lines) Failure() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fatal
}

func logLine(format string, v []any) string { return "nats: " + fmt.Sprintf(format, v...) }
