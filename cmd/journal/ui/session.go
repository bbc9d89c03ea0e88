package ui

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"

	"journal/cmd/journal/page"
	"journal/events"
	"journal/journal"
	"journal/projections"
	"journal/replay/audit"
	"journal/replay/timeline"
)

// targetOf returns the session that a request is about, with the lane if it names one.
func targetOf(r *http.Request) projections.Target {
	return projections.Target{Project: r.PathValue("project"), Session: r.PathValue("session"), Lane: r.FormValue("lane")}
}

// isWork reports whether an event shows that its session was at work (events.Bookkeeping) and is not internal.
func isWork(r timeline.Row) bool {
	return !events.Bookkeeping(r.Type) && !slices.Contains(internal, r.Type)
}

// newestOf returns the place of the newest event that is work. If there is none, it returns the last place.
func newestOf(rows []timeline.Row) int {
	for i, row := range slices.Backward(rows) {
		if isWork(row) {
			return i
		}
	}
	return len(rows) - 1
}

// placeOf returns the place of the event that a request names, by number or by place; by default that of the newest event. If the
// session has no event with the number, it returns the place of the event before.
func placeOf(r *http.Request, rows []timeline.Row) int {
	if seq := number(r, "at"); seq != 0 {
		return max(timeline.RowsUpTo(rows, seq)-1, 0)
	}
	if p, err := strconv.Atoi(r.FormValue("place")); err == nil {
		return min(max(p, 0), len(rows)-1)
	}
	return newestOf(rows)
}

// sessionView is the page of a session.
type sessionView struct {
	moment
	Head    head
	From    int // index of the first of Rows among the listed events
	Listed  int // number of the listed events
	Rows    []line
	Kinds   []kind
	Filter  filter
	Chart   page.Chart
	Follows bool // the request names no event, so the page shows the newest one and follows the log
}

// chunk bounds the rows of the list that are sent at once.
const chunk = 50

// serveSession shows a session at one of its events.
func (s *Server) serveSession(w http.ResponseWriter, r *http.Request) error {
	v, err := s.session(r)
	if err != nil {
		return err
	}
	return s.show(w, r, "session", cmp.Or(v.Head.Title, journal.ShortID(v.Head.Target.Session)), "sessions", v)
}

// errNoSession means that the log has no event of a session.
const errNoSession = missingError("no such session")

// session returns the content of the page of a session.
func (s *Server) session(r *http.Request) (v sessionView, err error) {
	about, h, rows, err := s.head(r, "session")
	if err != nil {
		return v, err
	}
	t := about.Target
	v = sessionView{Head: about, Filter: filterOf(r), Follows: r.FormValue("at") == ""}
	if v.moment, err = s.moment(r, t); err != nil {
		return v, err
	}
	v.Chart = s.chart(r, h, nil)
	places := v.Filter.places(rows)
	v.Kinds, v.Listed = kinds(rows, v.Filter), len(places)
	v.From = max(min(v.N, v.Listed-1)/chunk*chunk, 0)
	v.Rows, err = s.lines(r.Context(), t, rows, v.Filter, v.From, chunk)
	return v, err
}

// chartRoom is the height of the chart's curve in pixels. It leaves room for the bands below.
const chartRoom = 110

// chart draws the course of a session. lost holds the totals of compactions by their event number; nil if there was no audit.
func (s *Server) chart(r *http.Request, h *timeline.History, lost map[uint64]audit.Totals) page.Chart {
	d := page.Drawing{Timeline: h.Timeline(), Shares: lost, Room: chartRoom, Clock: r.FormValue("clock") != "", Zone: s.config.Zone, Say: s.say(r), Path: s.path(targetOf(r))}
	newest := int64(0)
	for _, row := range h.Rows() {
		if newest == 0 || row.At > newest && isWork(row) { // other events may be recorded long after the work
			newest = row.At
		}
		d.Times = append(d.Times, newest)
	}
	d.Info, d.Urgent = s.config.Fold().Pressure.Levels()
	return page.ChartOf(d)
}

// serveChart serves the chart of a session up to now. With the form value lost it also shows the losses of each compaction, which
// needs an audit of the session.
func (s *Server) serveChart(w http.ResponseWriter, r *http.Request) error {
	t := targetOf(r)
	h, _, err := s.histories.history(r.Context(), t)
	if err != nil {
		return err
	}
	var lost map[uint64]audit.Totals
	if r.FormValue("lost") != "" && compactionsOf(h) > 0 {
		report, err := s.histories.audit(r.Context(), t)
		if err != nil {
			return err
		}
		lost = map[uint64]audit.Totals{}
		for _, c := range report.Compactions {
			lost[c.Seq] = c.Totals
		}
	}
	return s.write(w, r, "chart", s.chart(r, h, lost))
}

// serveRows serves the next rows of the list of events, and the number of all listed events in a header.
func (s *Server) serveRows(w http.ResponseWriter, r *http.Request) error {
	t := targetOf(r)
	_, rows, err := s.histories.history(r.Context(), t)
	if err != nil {
		return err
	}
	f := filterOf(r)
	from, _ := strconv.Atoi(r.FormValue("from")) // not a number: the beginning
	lines, err := s.lines(r.Context(), t, rows, f, from, chunk)
	if err != nil {
		return err
	}
	w.Header().Set("X-Journal-Listed", strconv.Itoa(len(f.places(rows))))
	return s.write(w, r, "rows", lines)
}
