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

// Server is a NATS server on the store of a locked directory. Its methods may be called concurrently.
type Server struct {
	lock       *ownership.Lock
	scratch    string // directory of a store that has no lock (see Scratch)
	grace      time.Duration
	log        *slog.Logger
	storeState StoreState
	broken     bool // Close leaves no clean marker (see Discard)
	auth       *authenticator
	ns         *server.Server
	nc         *nats.Conn
	toolsConn  *nats.Conn // to the account of tools; nil without one

	accepting sync.WaitGroup // the accept loop
	bridging  sync.WaitGroup // the bridged connections

	mu         sync.Mutex
	stream     string // empty before SetHead, which sets it with seq and head
	seq        uint64 // before SetHead, as in storeState
	head       string // before SetHead, as in storeState
	listener   *net.UnixListener
	socketPath string
	socketInfo os.FileInfo // of the socket file that Serve made
	bridges    map[*bridge]struct{}
	stopped    bool        // accepts no more connections
	context    contextFile // zero if none was written

	healthMu  sync.Mutex
	unhealthy error // see Healthy

	closing  sync.Once
	closeErr error // of the first Close
}

// Conn returns the owner's own connection, with all rights. Only this connection may publish to journal.> and create streams. Close closes
// it.
func (s *Server) Conn() *nats.Conn { return s.nc }

// StoreState returns the condition in which the store was found.
func (s *Server) StoreState() StoreState { return s.storeState }

// Discard closes the server without writing the clean marker. The next owner then checks the whole store.
func (s *Server) Discard() error {
	s.mu.Lock()
	s.broken = true
	s.mu.Unlock()
	return s.Close()
}

// SetHead sets the sequence and digest of the last record of the log's stream, for the clean marker and through it for the next owner's
// StoreState. Call it with the final state before Close.
func (s *Server) SetHead(stream string, seq uint64, hash string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stream, s.seq, s.head = stream, seq, hash
}

// ClientURL returns the address for NATS tools, or "" without Options.Listen.
func (s *Server) ClientURL() string {
	if s.auth.toolPassword == "" {
		return ""
	}
	return s.ns.ClientURL()
}

// Credentials returns the user and password for ClientURL. The password is new at each start. Both are "" without Options.Listen.
func (s *Server) Credentials() (user, password string) {
	if s.auth.toolPassword == "" {
		return "", ""
	}
	return toolUser, s.auth.toolPassword
}

// Clients returns the number of connections of other processes.
func (s *Server) Clients() int {
	own := 1
	if s.toolsConn != nil {
		own++
	}
	return max(0, s.ns.NumClients()-own)
}

// CheckListen returns an error unless an owner could listen on an address now. The address must be a literal loopback address with a port
// (ErrNotLoopback), and the port must be free.
func CheckListen(listen string) error {
	if _, _, err := parseListen(listen); err != nil {
		return err
	}
	l, err := net.Listen("tcp", listen)
	if err != nil {
		if errno := syscall.Errno(0); errors.As(err, &errno) {
			err = errno // the whole error would repeat the address
		}
		return fmt.Errorf("listen on %s: %w", listen, err)
	}
	return l.Close()
}

// parseListen returns the host and port of an Options.Listen, as the server needs them. The error is ErrNotLoopback, also for a name such
// as localhost, whose meaning a resolver decides.
func parseListen(listen string) (host string, port int, err error) {
	ap, err := netip.ParseAddrPort(listen)
	if err != nil {
		return "", 0, fmt.Errorf("%w: %q; use one such as 127.0.0.1:4222", ErrNotLoopback, listen)
	}
	if !ap.Addr().IsLoopback() {
		return "", 0, fmt.Errorf("%w: %s; use one such as 127.0.0.1:4222", ErrNotLoopback, listen)
	}
	return ap.Addr().String(), cmp.Or(int(ap.Port()), server.RANDOM_PORT), nil
}

// ServerLogger passes a server's log lines to slog. The server reports failures of its start only through Fatalf, and then carries on half
// started, so Failure returns the first one.
type ServerLogger struct {
	Out *slog.Logger

	mu    sync.Mutex
	fatal string
}

// Noticef logs a notice at debug level.
func (l *ServerLogger) Noticef(format string, v ...any) { l.Out.Debug(logLine(format, v)) }

// Warnf logs a warning.
func (l *ServerLogger) Warnf(format string, v ...any) { l.Out.Warn(logLine(format, v)) }

// Errorf logs an error.
func (l *ServerLogger) Errorf(format string, v ...any) { l.Out.Error(logLine(format, v)) }

// Debugf logs a line at debug level.
func (l *ServerLogger) Debugf(format string, v ...any) { l.Out.Debug(logLine(format, v)) }

// Tracef logs a line at debug level.
func (l *ServerLogger) Tracef(format string, v ...any) { l.Out.Debug(logLine(format, v)) }

// Fatalf logs an error at which a server program would end the process.
func (l *ServerLogger) Fatalf(format string, v ...any) {
	s := logLine(format, v)
	l.mu.Lock()
	l.fatal = cmp.Or(l.fatal, s)
	l.mu.Unlock()
	l.Out.Error(s)
}

// Failure returns the first fatal line, or "".
func (l *ServerLogger) Failure() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fatal
}

// logLine returns a line for the log file.
func logLine(format string, v []any) string { return "nats: " + fmt.Sprintf(format, v...) }
