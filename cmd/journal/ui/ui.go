// Package ui serves pages that show the log, live, to a browser of the person who started it: sessions, one session with its
// timeline and its state at any point, the losses of compactions, projects.
//
// It reads the log as every verb does and caches it in memory. It writes only notes, which the log's owner records when the
// person asks for it. The content of the pages comes from agents, tools and files: it is data, and reaches the browser as text.
// The pages are plain HTML with little script (ADR-0061).
package ui

import (
	"cmp"
	"context"
	"html/template"
	"log/slog"
	"net"
	"net/http"
	"time"

	"journal/cmd/journal/cli"
	"journal/cmd/journal/config"
	"journal/events"
	"journal/projections"
	"journal/replay"
	"journal/replay/recovery"
)

// Config configures a Server. Open, Lost, Fold and Recovery are required.
type Config struct {
	// Open opens the log, and returns the function that closes it. Many goroutines use the log until it breaks; then it is
	// closed.
	Open func(context.Context) (Log, func(), error)
	// Lost reports whether an error means that the log must be opened again.
	Lost func(error) bool
	// Dir is the journal directory, in which derived files of the log and admitted browsers are stored; empty: they are not
	// stored.
	Dir     string
	Version string // of the program
	// Remember is the time for which a browser stays admitted; 0: as long as the server runs.
	Remember time.Duration
	// Fold returns the parameters of folds and audits.
	Fold func() projections.Config
	// Cost returns the price of requests; ok is false if they have none. Nil: the price is the one that the client reports.
	Cost func(events.TokensUsed) (cost float64, ok bool)
	// Confirm makes the owner record which recovery texts arrived, before the first audit of a session. Nil: nothing is recorded.
	Confirm func(context.Context, projections.Target)
	// Note records a working note in a session; seq is 0 if the note waits in the spool. It is the only write. Nil: the pages
	// write nothing.
	Note func(ctx context.Context, n Note) (seq uint64, err error)
	// Recovery renders a recovery text as hooks do for an agent.
	Recovery func(r recovery.Recovery, agent, lang string) (recovery.Text, error)
	// Lang is the language of texts for the agent, and of pages if the browser wants no language that exists.
	Lang   string
	Zone   *time.Location // time zone of the pages; nil is UTC
	Logger *slog.Logger   // nil: nothing is logged
	Now    func() time.Time
	Team   cli.TeamPages // nil: the pages are only about this machine
}

// Note is a working note that a person wrote on a page.
type Note struct {
	Target        projections.Target
	Heading, Text string
}

// Server serves the pages. It is safe for concurrent use.
type Server struct {
	*views
	log       *reader
	histories *histories
	list      *sessionList
	copies    *copies // nil: there is no team
}

// New returns a server that accepts requests for these hosts, each with the same port.
func New(c Config, hosts ...string) *Server {
	c.Zone = cmp.Or(c.Zone, time.UTC)
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	if c.Cost == nil {
		c.Cost = config.Config{}.Cost
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	s := newServer(c, newGuard(hosts), cli.Device{})
	s.guard.say, s.guard.browsers.dir, s.guard.browsers.life = s.say, c.Dir, c.Remember
	if c.Team != nil {
		s.copies = &copies{main: s, TeamPages: c.Team, open: replay.NewCache[cli.Device, *Server](maxCopies)}
	}
	return s
}

// newServer returns the server of the log of one device. The config must be complete. The zero device is this machine.
func newServer(c Config, g *guard, d cli.Device) *Server {
	s := &Server{log: &reader{open: c.Open, lost: c.Lost}}
	s.histories = &histories{log: s.log, fold: c.Fold, confirm: c.Confirm, open: replay.NewCache[projections.Target, *cachedLane](maxOpen)}
	s.list = &sessionList{log: s.log, config: c}
	s.views = &views{config: c, guard: g, device: d, team: d != (cli.Device{}) || c.Team != nil, projectName: s.list.projectName, parsed: map[string]*template.Template{}}
	if d != (cli.Device{}) {
		s.base = baseOf(d)
	}
	s.log.onNewStream = s.histories.clear // the list finds out by itself
	return s
}

// Enter returns a path that admits one browser, once, and leads it to the page at the path to.
func (s *Server) Enter(to string) string { return s.guard.enter(to) }

// Close closes the log. The server of this machine's log also closes the open copies of members' logs.
func (s *Server) Close() {
	if s.copies != nil && s.device == (cli.Device{}) {
		s.copies.close()
	}
	s.log.close()
}

// Serve answers requests on a listener until ctx ends; then it returns nil. Connections of other users of the machine get no
// answer, if the system knows who owns a connection.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	hs := &http.Server{
		Handler: ownUserOnly(s.Handler()), ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 1 << 16,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, visitorKey{}, c) },
		BaseContext: func(net.Listener) context.Context { return ctx },
		ErrorLog:    slog.NewLogLogger(s.config.Logger.Handler(), slog.LevelWarn),
	}
	defer context.AfterFunc(ctx, func() { hs.Close() })()
	defer s.Close()
	err := hs.Serve(&boundedListener{Listener: l})
	if ctx.Err() != nil { // it was closed
		return nil
	}
	return err
}
