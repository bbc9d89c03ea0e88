// Package ui serves pages that show the log, live, to a browser of the person who started it: sessions, one session with its
// timeline and its state at any point, the losses of compactions, projects.
//
// It reads the log as every verb does, and caches states of folds in memory. It writes only notes, when the person asks for it;
// before an audit it also has the log's owner record which recovery texts arrived. The content of the pages comes from agents, tools
// and files: it is data, and reaches the browser as text. The pages are plain HTML with little script (ADR-0061).
package ui

import (
	"context"
	"html/template"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/gzhttp"

	"journal/cmd/journal/cli"
	"journal/events"
	"journal/projections"
	"journal/replay"
	"journal/replay/recovery"
)

// Config configures a Server. All fields are required, except those whose comments explain their zero values.
type Config struct {
	// Open opens the log, and returns the function that closes it. Many goroutines use the log until it breaks; then it is
	// closed.
	Open func(context.Context) (Log, func(), error)
	// Lost reports whether an error means that the log must be opened again.
	Lost func(error) bool
	// Dir is the journal directory, in which derived files of the log and, with Remember, admitted browsers are stored. It is empty
	// for a member's log, of which nothing is stored.
	Dir     string
	Version string // of the program
	// Remember is the time for which a browser stays admitted; 0: as long as the server runs.
	Remember time.Duration
	// Fold returns the parameters of folds and audits.
	Fold func() projections.Config
	// Cost returns the price of requests; ok is false if they have none.
	Cost func(events.TokensUsed) (cost float64, ok bool)
	// Confirm makes the owner record which recovery texts arrived, before the first audit of a session. Nil: nothing is recorded.
	Confirm func(context.Context, projections.Target)
	// Note records a working note in a session; seq is 0 if the note waits in the spool. A person can write nothing else. Nil: the
	// person can write nothing.
	Note func(ctx context.Context, n Note) (seq uint64, err error)
	// Recovery renders a recovery text as hooks do for an agent.
	Recovery func(r recovery.Recovery, agent, lang string) (recovery.Text, error)
	// Lang is the language of texts for the agent, and of pages if the browser wants no language that exists.
	Lang   string
	Zone   *time.Location // time zone of the pages
	Logger *slog.Logger
	Now    func() time.Time
	Team   cli.TeamPages // nil: the pages are only about this machine
}

// Note is a working note that a person wrote on a page.
type Note struct {
	Target        projections.Target
	Heading, Text string
}

// Server serves the pages about one log. It is safe for concurrent use.
type Server struct {
	config Config
	guard  *guard
	// device is the device whose log the pages are about; the zero value is this machine.
	device    cli.Device
	base      string // prefix of the paths of all pages about the log
	log       *reader
	histories *histories
	list      *sessionList
	copies    *copies // nil: the pages of a member's log, or there is no team

	mu     sync.Mutex
	parsed map[string]*template.Template // by language
}

// New returns a server of this machine's log that accepts requests for these hosts, each with the same port.
func New(c Config, hosts ...string) *Server {
	s := newServer(c, newGuard(c, hosts), cli.Device{})
	s.guard.say = s.say
	if c.Team != nil {
		s.copies = &copies{main: s, TeamPages: c.Team, open: replay.NewCache[cli.Device, *Server](maxCopies)}
	}
	return s
}

// newServer returns the server of a device's log. The zero device is this machine.
func newServer(c Config, g *guard, d cli.Device) *Server {
	s := &Server{config: c, guard: g, device: d, log: &reader{open: c.Open, lost: c.Lost}, parsed: map[string]*template.Template{}}
	s.histories = &histories{log: s.log, config: c, open: replay.NewCache[projections.Target, *cachedLane](maxOpen)}
	s.list = &sessionList{log: s.log, config: c}
	if d != (cli.Device{}) {
		s.base = baseOf(d)
	}
	s.log.onNewStream = s.histories.clear // sessionList.read notices another log by itself
	return s
}

// Enter returns a path that admits one browser, once, and leads it to the page at the path to.
func (s *Server) Enter(to string) string { return s.guard.enter(to) }

// Close closes the log, and the open copies of members' logs.
func (s *Server) Close() {
	if s.copies != nil {
		s.copies.close()
	}
	s.log.close()
}

// Handler returns the handler of all requests. It answers those of admitted browsers.
func (s *Server) Handler() http.Handler {
	mux := s.pages()
	mux.HandleFunc("GET /assets/{digest}/{name}", s.serveAsset)
	if s.copies != nil {
		mux.HandleFunc("GET /t/{$}", s.answered(s.copies.serveTeam))
		mux.HandleFunc("GET /t/{member}/{device}/", s.answered(s.copies.serve))
	}
	compressed := gzhttp.GzipHandler(mux)
	return s.guard.wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/live") { // messages must be sent at once, which compression would delay
			mux.ServeHTTP(w, r)
			return
		}
		compressed(w, r)
	}))
}

// pages returns the routes of the pages about one log.
func (s *Server) pages() *http.ServeMux {
	mux := http.NewServeMux()
	session := "GET /p/{project}/s/{session}"
	for pattern, serve := range map[string]func(http.ResponseWriter, *http.Request) error{
		"GET /{$}":               s.serveToday,
		"GET /sessions":          s.serveSessions,
		"GET /search":            s.serveSearch,
		"GET /suggest":           s.serveSuggest,
		"GET /compactions":       s.serveSurvey,
		"GET /cost":              s.serveCost,
		"GET /projects":          s.serveProjects,
		"GET /p/{project}":       s.serveProject,
		"GET /p/{project}/lost":  s.serveLost,
		"GET /p/{project}/work":  s.serveWork,
		session:                  s.serveSession,
		session + "/chart":       s.serveChart,
		session + "/rows":        s.serveRows,
		session + "/state":       s.serveState,
		session + "/event":       s.serveEvent,
		session + "/recovery":    s.serveRecovery,
		session + "/lost":        s.serveLost,
		session + "/used":        s.serveUsed,
		session + "/things":      s.serveLostItems,
		session + "/compactions": s.serveCompactions,
		session + "/talk":        s.serveConversation,
		session + "/calls":       s.serveCalls,
		session + "/export":      s.serveExport,
		session + "/items":       s.serveItems,
	} {
		mux.HandleFunc(pattern, s.answered(serve))
	}
	mux.HandleFunc("GET /live", s.serveLive)
	mux.HandleFunc("GET /", s.missing)
	if s.config.Note != nil {
		mux.HandleFunc("POST /p/{project}/s/{session}/note", s.answered(s.serveNote))
	}
	return mux
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
	if ctx.Err() != nil { // the end of ctx closed the server
		return nil
	}
	return err
}
