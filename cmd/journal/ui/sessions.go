package ui

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/gzhttp"

	"journal/cmd/journal/page"
	"journal/embedded/catalogue"
	"journal/projections"
)

// sessionsView is the list of sessions.
type sessionsView struct {
	Words    string
	Project  string
	Agent    string
	All      bool
	Agents   []string // to choose from
	Projects []catalogue.Counted
	Cards    []cardView
	Total    int
	Next     string // path and query of the rest; empty: there is none
	Team     bool   // sessions that others share, as of now
	Unread   []string
}

// next sets the address of the rest, if there is any.
func (v *sessionsView) next(path string, from int, r *http.Request) {
	next := from + len(v.Cards)
	if next >= v.Total || len(v.Cards) == 0 {
		return
	}
	v.Next = path + queryWith(r, "from", strconv.Itoa(next), "rows", "1")
}

// queryWith returns the query of a request with other values: pairs of a name and a value.
func queryWith(r *http.Request, pairs ...string) string {
	q := r.URL.Query()
	for pair := range slices.Chunk(pairs, 2) {
		q.Set(pair[0], pair[1])
	}
	return "?" + q.Encode()
}

// cardView is one session of the list.
type cardView struct {
	card
	Path  string
	Live  bool
	Ended bool
	At    int64
	Day   string // the heading above it, if it is the first of that day
	Whose string // its member, in a list of several members
	In    string // path of its project's page
}

// headings puts each day above its first session.
func (v *sessionsView) headings(s *Server) {
	day := ""
	for i := range v.Cards {
		if on := s.time(v.Cards[i].At, time.DateOnly); on != day {
			v.Cards[i].Day, day = on, on
		}
	}
}

// cardOf makes the card of a session.
func (s *Server) cardOf(c card) cardView {
	last := c.Newest.Time()
	idle := s.config.Now().Sub(last)
	return cardView{card: c, Path: s.path(projections.Target{Project: c.Project, Session: c.ID}), Live: !c.Info.Ended && idle < liveFor, At: last.UnixNano(),
		Ended: projections.ShownEnded(c.Info.Ended, c.Info.PID == 0, idle), In: s.base + projectPath(c.Project)}
}

// cardsAtOnce is the number of sessions that a page shows before it asks for more.
const cardsAtOnce = 40

// liveFor is the time after its newest event for which a session counts as at work.
const liveFor = 3 * time.Minute

// serveSessions shows the sessions, or only the next rows for a page that is already open.
func (s *Server) serveSessions(w http.ResponseWriter, r *http.Request) error {
	from, _ := strconv.Atoi(r.FormValue("from")) // not a number: the beginning
	from = max(from, 0)
	v := sessionsView{Words: r.FormValue("q"), Project: r.FormValue("project"), Agent: r.FormValue("agent"), All: r.FormValue("all") != ""}
	q := query{words: v.Words, project: v.Project, agent: v.Agent, all: v.All}
	cards, total, err := s.list.list(r.Context(), q, max(from-1, 0), cardsAtOnce+min(from, 1))
	if err != nil {
		return err
	}
	if r.FormValue("rows") == "" {
		if v.Agents, err = s.list.agents(r.Context()); err != nil {
			return err
		}
		if v.Projects, err = s.list.projects(r.Context()); err != nil {
			return err
		}
	}
	v.Total = total
	for _, c := range cards {
		v.Cards = append(v.Cards, s.cardOf(c))
	}
	v.headings(s)
	v.Cards = v.Cards[min(from, 1, len(v.Cards)):] // it only showed whether the day changes
	v.next(s.base+"/sessions", max(from, 0), r)
	if r.FormValue("rows") != "" {
		return s.write(w, r, "cards", v)
	}
	return s.show(w, r, "sessions", s.say(r)("sessions", nil), "sessions", v)
}

// lostView lists what a session or a project lost, and the address of the rest; empty: that is all.
type lostView struct {
	page.Row
	More string
}

// serveLost serves what the compactions of a session or a project lost. A list requests it for each
// when it comes into sight.
func (s *Server) serveLost(w http.ResponseWriter, r *http.Request) error {
	t := targetOf(r)
	t.Lane = ""
	share, left, err := s.list.lost(r.Context(), t)
	if err != nil {
		return err
	}
	v := lostView{Row: page.Row{Totals: share, Bar: page.Segments(share, max(share.Known, 1))}}
	if left > 0 {
		v.More = s.base + projectPath(t.Project) + "/lost?left=" + strconv.Itoa(left)
	}
	return s.write(w, r, "lost", v)
}

// Handler answers the requests of admitted browsers.
func (s *Server) Handler() http.Handler {
	mux := s.pages()
	mux.HandleFunc("GET /assets/{digest}/{name}", s.serveAsset)
	if s.company != nil {
		mux.HandleFunc("GET /t/{$}", s.answered(s.company.serveTeam))
		mux.HandleFunc("GET /t/{member}/{device}/", s.answered(s.company.serve))
	}
	compressed := gzhttp.GzipHandler(mux)
	return s.guard.wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/live") { // each event is sent at once
			mux.ServeHTTP(w, r)
			return
		}
		compressed(w, r)
	}))
}

// pages are the routes of one log.
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
		session + "/things":      s.serveThings,
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
