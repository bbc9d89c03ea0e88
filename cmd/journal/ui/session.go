package ui

import (
	"cmp"
	"errors"
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

// targetOf returns the lane of a session that a request is about.
func targetOf(r *http.Request) projections.Target {
	return projections.Target{Project: r.PathValue("project"), Session: r.PathValue("session"), Lane: r.FormValue("lane")}
}

// newestOf returns the place of the newest event of a session at work, or of the newest one if none does.
func newestOf(rows []timeline.Row) int {
	for i, row := range slices.Backward(rows) {
		if !events.Aside(row.Type) && !slices.Contains(internal, row.Type) {
			return i
		}
	}
	return len(rows) - 1
}

// placeOf returns the place that a request names, by default the newest event. If the session has no
// event at the sequence, it is the one before.
func placeOf(r *http.Request, rows []timeline.Row) int {
	last := len(rows) - 1
	if seq := number(r, "at"); seq != 0 {
		return min(max(timeline.RowsUpTo(rows, seq)-1, 0), last)
	}
	if p, err := strconv.Atoi(r.FormValue("place")); err == nil {
		return min(max(p, 0), last)
	}
	return newestOf(rows)
}

// sessionView is the page of a session.
type sessionView struct {
	moment
	Head    head
	From    int // place of the first row that is listed here
	Listed  int // how many rows are listed in all
	Rows    []line
	Kinds   []kind
	Filter  filter
	Chart   page.Chart
	Follows bool // the page shows the newest event and follows the log
}

// chunk is the number of rows that a page requests at once.
const chunk = 50

// serveSession shows a session at a point.
func (s *Server) serveSession(w http.ResponseWriter, r *http.Request) error {
	v, err := s.session(r)
	if err != nil {
		return err
	}
	return s.show(w, r, "session", cmp.Or(v.Head.Title, journal.ShortID(v.Head.Target.Session)), "sessions", v)
}

// errNoSession means that the log has no event of a session.
var errNoSession = errors.New("no such session")

// session returns what the page of a session shows.
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

// chartRoom is the height of the curve, which leaves room for the bands below it.
const chartRoom = 110

// chart draws the course of a session; lost holds the losses of compactions, as far as they are known.
func (s *Server) chart(r *http.Request, h *timeline.History, lost map[uint64]audit.Totals) page.Chart {
	d := page.Drawing{Timeline: h.Timeline(), Shares: lost, Room: chartRoom, Clock: r.FormValue("clock") != "", Zone: s.config.Zone, Say: s.say(r), Path: s.path(targetOf(r))}
	newest := int64(0)
	for _, row := range h.Rows() {
		if newest == 0 || row.At > newest && !events.Aside(row.Type) && !slices.Contains(internal, row.Type) { // others come at any time
			newest = row.At
		}
		d.Times = append(d.Times, newest)
	}
	d.Info, d.Urgent = s.config.Fold().Pressure.Levels()
	return page.ChartOf(d)
}

// serveChart serves the present chart. With lost it also shows what each compaction lost, which
// needs an audit of the session.
func (s *Server) serveChart(w http.ResponseWriter, r *http.Request) error {
	t := targetOf(r)
	h, err := s.histories.history(r.Context(), t)
	if err != nil {
		return err
	}
	line := h.Timeline()
	var lost map[uint64]audit.Totals
	if r.FormValue("lost") != "" && slices.ContainsFunc(line.Marks, func(m timeline.Mark) bool { return m.Kind == timeline.Compaction }) {
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

// serveRows serves rows of the list.
func (s *Server) serveRows(w http.ResponseWriter, r *http.Request) error {
	t := targetOf(r)
	h, err := s.histories.history(r.Context(), t)
	if err != nil {
		return err
	}
	f := filterOf(r)
	from, _ := strconv.Atoi(r.FormValue("from")) // not a number: the beginning
	lines, err := s.lines(r.Context(), t, h.Rows(), f, from, chunk)
	if err != nil {
		return err
	}
	w.Header().Set("X-Journal-Listed", strconv.Itoa(len(f.places(h.Rows()))))
	return s.write(w, r, "rows", lines)
}
