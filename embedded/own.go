// Package embedded runs the JetStream server in the process that owns a journal directory (package ownership), and lets the user's other
// processes reach it through a unix socket. Only this package runs a server on a log; package team/hub runs one for a team.
//
// JetStream does not guard its directory: two servers on one store overwrite each other's messages without an error. So this package
// opens no store before the process holds an [ownership.Lock], and the lock outlives the server.
//
// The life of an owner:
//
//	Inherited the lock is taken over from the hook that started the process, or
//	          taken with TryLock
//	Own       check the store, start the server, connect to it
//	Serve     open the socket; from here on hooks can append
//	Beat      every second, with Intact, while the owner lives
//	Close     stop cleanly and write the clean marker
//	Release   the next owner may start
//
// A store is clean if the last server on it was shut down, and its index files are still those that the server wrote.
package embedded

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"journal/embedded/store/blocks"
	"journal/embedded/store/ownership"
	"journal/journal/disk"
)

var (
	// ErrUnusableStore is returned for a store with a file that cannot be opened, or that is not a regular file: the server would delete
	// the streams with such files. It did not open the store.
	ErrUnusableStore = errors.New("store cannot be opened safely")

	// ErrNotLoopback is returned for an Options.Listen that is not a literal loopback address with a port.
	ErrNotLoopback = errors.New("listen address is not loopback")
)

// Options configures an owner. The zero value is a private owner without TCP or logging.
type Options struct {
	// Logger gets the server's warnings and errors, and the other lines at debug level. Default: nothing is logged.
	Logger *slog.Logger

	// Listen is a literal loopback address with a port, such as "127.0.0.1:4222"; port 0 takes a free one. Default: no TCP.
	Listen string

	// Admin extends the rights of clients over TCP to those of clients of the unix socket, such as making the owner leave.
	Admin bool

	// Head is the sequence in the head file, 0 if it is unknown. A store that ends before it is damaged.
	Head uint64

	// Version is that of the program, for the lock file.
	Version string

	// Grace is the time for which Close lets connected clients finish. Default: 500 ms. A client that follows the log uses all
	// of it.
	Grace time.Duration
}

const (
	defaultGrace = 500 * time.Millisecond

	// maxMemory bounds streams in memory, of which the journal has none. Unless it is set, the server measures the machine and chooses
	// this bound and that of the store (docs/ENGINE.md §9).
	maxMemory = 64 << 20

	// readyWait bounds the wait for a server that has started without an error.
	readyWait = 10 * time.Second

	// greetWait bounds each side's wait for the other when a client connects. The defaults of NATS, 2 s, are too short for a busy
	// machine, or for a process that was stopped meanwhile.
	greetWait = 30 * time.Second

	// closedClients is the number of closed connections that the server remembers for its monitoring, which is off. The default
	// of 10,000 would fill up with hooks.
	closedClients = 16
)

// Own starts the server on the directory of l. It refuses a store that the server would damage (ErrUnusableStore), a damaged store (a
// SuspectError), another format (see [CheckFormat]) and a lock that no longer guards its directory ([ownership.ErrReplaced]). From the
// moment the server opens the store until Close, the store does not count as clean.
//
// After an error nothing runs, and ownership.Failed returns the reason unless ctx ended, the directory was replaced, or the store has to be
// rebuilt. If only the record of an earlier failure could not be removed, Failed still returns that one. The lock stays with the caller in
// every case. ctx bounds only the start.
func Own(ctx context.Context, l *ownership.Lock, o Options) (*Server, error) {
	if !l.Intact() {
		return nil, fmt.Errorf("own %s: %w", l.Dir(), ownership.ErrReplaced)
	}
	s, err := own(ctx, l, o)
	if err != nil {
		err = fmt.Errorf("own %s: %w", l.Dir(), err)
		if ctx.Err() == nil && l.Intact() && !errors.Is(err, ErrSuspectStore) {
			ownership.RecordFailure(l.Dir(), o.Version, err)
		}
		return nil, err
	}
	if err := ownership.ForgetFailure(l.Dir()); err != nil {
		return nil, errors.Join(fmt.Errorf("own %s: %w", l.Dir(), err), s.Close())
	}
	return s, nil
}

// own implements Own, without recording failures.
func own(ctx context.Context, l *ownership.Lock, o Options) (*Server, error) {
	o.Logger, o.Grace = cmp.Or(o.Logger, slog.New(slog.DiscardHandler)), cmp.Or(o.Grace, defaultGrace)
	if err := l.Beat(o.Version); err != nil {
		return nil, err
	}
	state, streams, err := prepareStore(ctx, l.Dir(), o)
	if err != nil {
		return nil, err
	}
	s := &Server{
		lock:       l,
		grace:      o.Grace,
		log:        o.Logger,
		storeState: state,
		auth:       &authenticator{owner: newSecret(), admin: o.Admin},
		seq:        state.Seq,
		head:       state.Head,
		bridges:    map[*bridge]struct{}{},
	}
	opts, err := s.options(l.Dir(), o.Listen)
	if err != nil {
		return nil, err
	}
	if s.ns, err = server.NewServer(opts); err != nil {
		return nil, fmt.Errorf("create server: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	// From this point the store counts as open, also after a power cut.
	if err := errors.Join(disk.Remove(cleanPath(l.Dir())), disk.SyncDir(l.Dir())); err != nil {
		return nil, err
	}
	if err := linkStore(l.Dir(), streams); err != nil {
		return nil, fmt.Errorf("link the files of the store: %w", err)
	}
	if err := s.openStore(ctx, streams); err != nil {
		s.ns.Shutdown()
		s.ns.WaitForShutdown()
		return nil, err
	}
	return s, nil
}

// prepareStore makes the store ready for a server, and checks it. It returns the store's condition and streams.
func prepareStore(ctx context.Context, dir string, o Options) (state StoreState, streams []blocks.Stream, err error) {
	if err := ensureFormat(dir); err != nil {
		return state, nil, err
	}
	if err := reclaim(dir, o.Logger); err != nil {
		return state, nil, err
	}
	if err := disk.MakePrivate(storePath(dir)); err != nil {
		return state, nil, err
	}
	restored, err := restoreStore(dir)
	if err != nil {
		return state, nil, fmt.Errorf("restore the files of the store: %w", err)
	}
	if restored {
		o.Logger.Warn("an earlier owner did not open the store; its files were restored")
	}
	if state, err = checkStore(ctx, dir, o); err != nil {
		return state, nil, err
	}
	streams, err = blocks.Streams(storePath(dir))
	return state, streams, err
}

// openStore starts the server, checks that it has opened all streams of the store, and removes their second links.
func (s *Server) openStore(ctx context.Context, streams []blocks.Stream) error {
	if err := s.start(); err != nil {
		return err
	}
	if err := s.checkStreams(ctx, streams); err != nil {
		s.nc.Close()
		return err
	}
	return removeLinks(s.lock.Dir())
}

// checkStreams returns an error unless the server has opened all streams of the store.
func (s *Server) checkStreams(ctx context.Context, streams []blocks.Stream) error {
	js, err := jetstream.New(s.nc)
	if err != nil {
		return err
	}
	for _, st := range streams {
		if _, err := js.Stream(ctx, st.Name); err != nil {
			return fmt.Errorf("the server did not open %s: %w", st.Name, err)
		}
	}
	return nil
}

// options returns the options of a server on the store in dir. listen is Options.Listen.
func (s *Server) options(dir, listen string) (*server.Options, error) {
	size, _, err := DiskSize(dir)
	if err != nil {
		return nil, fmt.Errorf("size of disk: %w", err)
	}
	opts := &server.Options{
		ServerName:                 "journal",
		DontListen:                 true,
		NoSigs:                     true,
		NoLog:                      true,
		DisableJetStreamBanner:     true,
		MaxClosedClients:           closedClients,
		CustomClientAuthentication: s.auth,
		AuthTimeout:                greetWait.Seconds(),
		JetStream:                  true,
		StoreDir:                   storePath(dir),
		SyncAlways:                 true,
		JetStreamMaxMemory:         maxMemory,
		JetStreamMaxStore:          size,
	}
	if listen == "" {
		return opts, nil
	}
	opts.DontListen = false
	s.auth.toolPassword = newSecret()
	opts.Host, opts.Port, err = parseListen(listen)
	return opts, err
}

// start runs the created server until it is ready, connects to it and admits tools. On an error the caller shuts it down.
func (s *Server) start() error {
	lines := &ServerLogger{Out: s.log}
	s.ns.SetLoggerV2(lines, false, false, false)
	s.ns.Start()
	if failure := lines.Failure(); failure != "" {
		return fmt.Errorf("start server: %s", failure)
	}
	if !s.ns.ReadyForConnections(readyWait) {
		return fmt.Errorf("start server: not ready after %v", readyWait)
	}
	var err error
	if s.nc, err = s.connect(s.ns, ownerUser); err != nil {
		return err
	}
	return s.admitTools()
}

// connect opens a connection of the owner itself. user is ownerUser or toolsConnUser.
func (s *Server) connect(to nats.InProcessConnProvider, user string) (*nats.Conn, error) {
	nc, err := nats.Connect("",
		nats.InProcessServer(to),
		nats.UserInfo(user, s.auth.owner),
		nats.Name("journal owner"),
		nats.Timeout(greetWait),
		// The server drops a connection that reads too slowly. The owner's must reconnect at once, with its subscriptions.
		nats.MaxReconnects(-1),
		nats.ReconnectWait(10*time.Millisecond),
	)
	if err != nil {
		return nil, fmt.Errorf("connect owner: %w", err)
	}
	return nc, nil
}

// The names inside a journal directory that this package reads and writes.
const (
	cleanName   = "clean"
	formatName  = "format"
	storeName   = "store"
	archiveName = "archive"
	indexName   = "index" // the file of the index, see blocks.Reader.Save
)

// derived holds the files and directories of a journal directory without which an owner works too. dir is true for a directory.
var derived = map[string]struct{ dir bool }{
	cleanName: {}, indexName: {}, "sessions": {}, "audits": {}, "derived.db": {}, "scrub": {}, "head": {}, "retained": {}, "owner.failed": {}, "owner.slow": {}, "owner.hung": {},
	"journal.log": {}, "journal.log.1": {}, "usage": {dir: true}, "observed": {dir: true},
}

// reclaim puts aside whatever has the name of a derived file but is not a file, and whatever has the name of a derived directory but is not
// one.
func reclaim(dir string, log *slog.Logger) error {
	for name, kind := range derived {
		to, err := disk.SetAsideOther(filepath.Join(dir, name), kind.dir)
		if err != nil {
			return err
		}
		if to != "" {
			log.Warn("moved aside a file that was in the place of one of the journal's", "file", name, "aside", to)
		}
	}
	return nil
}

func cleanPath(dir string) string  { return filepath.Join(dir, cleanName) }
func formatPath(dir string) string { return filepath.Join(dir, formatName) }
func storePath(dir string) string  { return filepath.Join(dir, storeName) }
