package ui

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"journal/cmd/journal/ui/page"
	"journal/journal"
	"journal/projections"
)

// sessionsView is the list of sessions.
type sessionsView struct {
	Words   string
	Project string
	All     bool
	Cards   []cardView
	Total   int
	Next    string // path and query of what follows; empty: nothing
	Team    bool   // what others share, as of now
	Unread  []string
}

// next says where the rest is asked for, if there is any.
func (v *sessionsView) next(path string, from int, r *http.Request) {
	next := from + len(v.Cards)
	if next >= v.Total || len(v.Cards) == 0 {
		return
	}
	q := url.Values{"from": {strconv.Itoa(next)}, "rows": {"1"}}
	for name, value := range map[string]string{"q": v.Words, "project": v.Project, "all": r.FormValue("all")} {
		if value != "" {
			q.Set(name, value)
		}
	}
	v.Next = path + "?" + q.Encode()
}

// cardView is one session of the list.
type cardView struct {
	card
	Target projections.Target
	Path   string
	Live   bool
	At     int64
	Whose  string // member, in a list of several
	In     string // path of its project's page
}

// cardOf shows a session of the list.
func (s *Server) cardOf(c card) cardView {
	t := projections.Target{Project: c.Project, Session: c.ID}
	at := c.Newest.Time()
	return cardView{card: c, Target: t, Path: s.path(t), Live: !c.Info.Ended && s.config.Now().Sub(at) < liveFor, At: at.UnixNano(),
		In: s.base + projectPath(c.Project)}
}

// cardsAtOnce is how many sessions a page shows before it asks for more.
const cardsAtOnce = 40

// liveFor is how long after its newest event a session counts as at work.
const liveFor = 3 * time.Minute

// serveSessions shows the sessions; rows alone are what follows on a page that is there.
func (s *Server) serveSessions(w http.ResponseWriter, r *http.Request) {
	from, _ := strconv.Atoi(r.FormValue("from")) // the beginning for what is no number
	v := sessionsView{Words: r.FormValue("q"), Project: r.FormValue("project"), All: r.FormValue("all") != ""}
	cards, total, err := s.list.list(r.Context(), query{v.Words, v.Project, v.All}, max(from, 0), cardsAtOnce)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	v.Total = total
	for _, c := range cards {
		v.Cards = append(v.Cards, s.cardOf(c))
	}
	v.next(s.base+"/sessions", max(from, 0), r)
	if r.FormValue("rows") != "" {
		s.write(w, r, "cards", v)
		return
	}
	s.show(w, r, "sessions", s.say(r)("sessions", nil), "sessions", v)
}

// serveLost says what the compactions of a session lost, for a list: it is asked for
// session by session, when one comes into sight.
func (s *Server) serveLost(w http.ResponseWriter, r *http.Request) {
	t := targetOf(r)
	t.Lane = ""
	totals, err := s.list.lost(r.Context(), t)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	share := page.ShareOf(totals)
	s.write(w, r, "lost", page.Row{Share: share, Bar: share.Segments(max(share.Known, 1))})
}

// Find gives the path of the page of a session.
func Find(s journal.Session) string {
	return pathOf(projections.Target{Project: s.Project, Session: s.ID})
}

// Handler answers the requests of browsers that were let in.
func (s *Server) Handler() http.Handler {
	mux := s.pages()
	mux.HandleFunc("GET /assets/{digest}/{name}", s.serveAsset)
	if s.company != nil {
		mux.HandleFunc("GET /t/{$}", s.company.serveTeam)
		mux.HandleFunc("GET /t/{member}/{device}/", s.company.serve)
	}
	return s.guard.wrap(mux)
}

// pages are those about one log.
func (s *Server) pages() *http.ServeMux {
	mux := http.NewServeMux()
	session := "GET /p/{project}/s/{session}"
	for pattern, serve := range map[string]http.HandlerFunc{
		"GET /{$}":               s.serveToday,
		"GET /sessions":          s.serveSessions,
		"GET /live":              s.serveLive,
		"GET /projects":          s.serveProjects,
		"GET /p/{project}":       s.serveProject,
		session:                  s.serveSession,
		session + "/chart":       s.serveChart,
		session + "/rows":        s.serveRows,
		session + "/state":       s.serveState,
		session + "/event":       s.serveEvent,
		session + "/find":        s.serveFind,
		session + "/recovery":    s.serveRecovery,
		session + "/lost":        s.serveLost,
		session + "/compactions": s.serveCompactions,
		session + "/talk":        s.serveConversation,
		session + "/items":       s.serveItems,
	} {
		mux.HandleFunc(pattern, serve)
	}
	mux.HandleFunc("GET /", s.missing)
	if s.config.Note != nil {
		mux.HandleFunc("POST /p/{project}/s/{session}/note", s.serveNote)
	}
	return mux
}

// Hosts are the names by which a browser may reach an address of the loopback.
func Hosts(address string, port int) []string {
	return []string{address, fmt.Sprintf("localhost:%d", port), fmt.Sprintf("127.0.0.1:%d", port), fmt.Sprintf("[::1]:%d", port)}
}
