package ui

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"journal/cmd/journal/cli/usage"
	"journal/cmd/journal/page"
	"journal/embedded/catalogue"
	"journal/events"
	"journal/projections"
	"journal/replay/audit"
)

// sessionsView is the list of sessions.
type sessionsView struct {
	Words    string              // the query's words, project and all
	Project  string              // key
	All      bool                // also sessions in which nobody asked anything
	Projects []catalogue.Counted // those that a person can choose
	Cards    []cardView
	Total    int      // number of all sessions that the query selects
	Next     string   // path and query of the next cards; empty: there are none
	Team     bool     // the list has the sessions that members of the team share
	Unread   []string // sentences about devices whose sessions could not be read
}

// setNext sets Next, if there are sessions after the cards. from is the number of sessions before the cards.
func (v *sessionsView) setNext(path string, from int, r *http.Request) {
	end := from + len(v.Cards)
	if end >= v.Total || len(v.Cards) == 0 {
		return
	}
	v.Next = path + queryWith(r, "from", strconv.Itoa(end), "rows", "1")
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
	catalogue.Row
	Name  string // that of the project
	Path  string // of the session's page
	Live  bool   // it has not ended, and its newest event is less than liveFor old
	Ended bool   // it is shown as ended
	At    int64  // time of the newest event, ns since 1970
	Day   string // the heading above it; only the first card of a day has one
	Whose string // the member whose session it is, in a list of several members
	In    string // path of its project's page
}

// headings sets the Day of the first card of each day.
func (v *sessionsView) headings(s *Server) {
	day := ""
	for i := range v.Cards {
		if on := s.time(v.Cards[i].At, time.DateOnly); on != day {
			v.Cards[i].Day, day = on, on
		}
	}
}

// cards returns the cards of the sessions that sessionList.list returns for a query, and the number of all selected sessions.
func (s *Server) cards(ctx context.Context, q query, from, n int) (cards []cardView, total int, err error) {
	rows, total, err := s.list.list(ctx, q, from, n)
	for _, r := range rows {
		cards = append(cards, s.cardOf(r))
	}
	return cards, total, err
}

// cardOf makes the card of a session.
func (s *Server) cardOf(r catalogue.Row) cardView {
	newest := r.Newest()
	r.Info.Agent = cmp.Or(r.Info.Agent, newest.Agent)
	idle := s.config.Now().Sub(time.Unix(0, newest.At))
	return cardView{Row: r, Name: s.list.projectName(r.Project), Path: s.path(projections.Target{Project: r.Project, Session: r.ID}), Live: !r.Info.Ended && idle < liveFor,
		At: newest.At, Ended: projections.ShownEnded(r.Info.Ended, r.Info.PID == 0, idle), In: s.base + projectPath(r.Project)}
}

// cardsAtOnce bounds the sessions that are sent at once.
const cardsAtOnce = 40

// liveFor bounds the time since the newest event of a session that counts as being at work.
const liveFor = 3 * time.Minute

// serveSessions shows the sessions. With the form value rows it serves only cards, for a page that is already open.
func (s *Server) serveSessions(w http.ResponseWriter, r *http.Request) error {
	from, _ := strconv.Atoi(r.FormValue("from")) // not a number: the beginning
	from = max(from, 0)
	v := sessionsView{Words: r.FormValue("q"), Project: r.FormValue("project"), All: r.FormValue("all") != ""}
	q := query{words: v.Words, project: v.Project, all: v.All}
	before := min(from, 1) // the session before the first card shows whether a new day begins
	cards, total, err := s.cards(r.Context(), q, from-before, cardsAtOnce+before)
	if err != nil {
		return err
	}
	if r.FormValue("rows") == "" {
		if v.Projects, err = s.list.projects(r.Context()); err != nil {
			return err
		}
	}
	v.Total, v.Cards = total, cards
	v.headings(s)
	v.Cards = v.Cards[min(before, len(v.Cards)):]
	v.setNext(s.base+"/sessions", from, r)
	if r.FormValue("rows") != "" {
		return s.write(w, r, "cards", v)
	}
	return s.show(w, r, "sessions", s.say(r)("sessions", nil), "sessions", v)
}

// lostView holds the totals of the audits of a session or a project.
type lostView struct {
	page.Row
	More string // path of the totals with more audits; empty: all are in
}

// leftParam returns a form value for the path of an answer's next version. left is the number of audits that the answer lacks. The
// number makes the path a new one, because the script requests each path only once.
func leftParam(left int) string { return "&left=" + strconv.Itoa(left) }

// serveLost serves the totals of the audits of a session or a project. A list requests them for each of its items that comes into
// sight.
func (s *Server) serveLost(w http.ResponseWriter, r *http.Request) error {
	t := targetOf(r)
	t.Lane = ""
	totals, left, err := s.list.lost(r.Context(), t)
	if err != nil {
		return err
	}
	v := lostView{Row: page.Row{Totals: totals, Bar: page.Segments(totals, max(totals.Known, 1))}}
	if left > 0 {
		v.More = s.base + projectPath(t.Project) + "/lost?figure=" + url.QueryEscape(r.FormValue("figure")) + leftParam(left)
	}
	if name := r.FormValue("figure"); name != "" {
		return s.write(w, r, "figure", lostFigure(name, totals, v.More))
	}
	return s.write(w, r, "lost", v)
}

// lostFigure returns the figure with the name restored or lost. more is the path of the figure with more audits; empty: all are
// in.
func lostFigure(name string, sum audit.Totals, more string) page.Figure {
	return page.Figure{Name: name, Value: page.FormatCount(map[string]int{"restored": sum.Restored, "lost": sum.Lost}[name]), Rest: more}
}

// serveUsed serves the tokens that a session used, and the number of files that it changed. A list requests them for each session
// that comes into sight.
func (s *Server) serveUsed(w http.ResponseWriter, r *http.Request) error {
	t := targetOf(r)
	rows, err := s.list.rows(r.Context())
	if err != nil {
		return err
	}
	rows = slices.DeleteFunc(rows, func(row catalogue.Row) bool { return row.Project != t.Project || row.ID != t.Session })
	always, now := time.Unix(0, 0), s.config.Now()
	report, err := usage.Of(r.Context(), s.log, active(rows, always, now), always, now)
	if err != nil {
		return err
	}
	changed := map[string]bool{} // paths
	for e, err := range s.log.Events(r.Context(), events.Span{}, events.Selector{Project: t.Project, Session: t.Session, Type: events.TypeOf[events.FileWritten]()}) {
		if err != nil {
			return err
		}
		if f, ok := events.As[events.FileWritten](e); ok {
			changed[f.Path] = true
		}
	}
	_, sum := report.By(func(*usage.Turn) string { return "" }, s.config.Cost)
	return s.write(w, r, "used", struct {
		usage.Sum
		Files int
	}{sum, len(changed)})
}
