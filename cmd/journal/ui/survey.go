package ui

import (
	"net/http"
	"slices"
	"time"

	"journal/cmd/journal/page"
	"journal/embedded/catalogue"
	"journal/projections"
	"journal/replay/audit"
)

// surveyView is the page about the compactions of all sessions.
type surveyView struct {
	Figures  []page.Figure
	Weeks    []surveyRow // the newest first
	Sessions []surveyRow // those that lost most first
	Hidden   int         // number of sessions that are not shown
	Left     int         // number of sessions that are not audited yet
	More     string      // path of this page with more of their audits; empty: all are audited
}

// surveyRow holds the totals of a week or a session.
type surveyRow struct {
	audit.Totals
	Title, Path, Project string // of a session
	Day                  string // the Monday of a week, the newest day of a session
	Compactions          int
	Bar                  []page.Segment
}

const (
	surveySessions = 40 // bound of the sessions on the page
	surveyWeeks    = 12 // bound of the weeks on the page
)

// serveSurvey shows what the compactions of all sessions lost. The page comes at once with the cached audits, and requests the
// others with the form value part.
func (s *Server) serveSurvey(w http.ResponseWriter, r *http.Request) error {
	all := audit.NewSurvival()
	part := r.FormValue("part") != ""
	left, err := s.list.eachAudit(r.Context(), part, func(*catalogue.Row) bool { return true }, func(row *catalogue.Row, sum audit.Sum) {
		all.Add(sum, row.ID, row.Project, row.Title)
	})
	if err != nil {
		return err
	}
	v := surveyView{Left: left, Hidden: max(0, len(all.BySession)-surveySessions)}
	if left > 0 {
		v.More = s.base + "/compactions?part=1" + leftParam(left)
	}
	for _, f := range []struct {
		name, class string
		n           int
	}{{"sessions", "", all.Sessions}, {"compactions", "", all.Compactions}, {"known", "", all.Totals.Known}, {"restored", "back", all.Totals.Restored}, {"offered", "offered", all.Totals.Offered}, {"lost", "gone", all.Totals.Lost}} {
		v.Figures = append(v.Figures, page.Figure{Name: f.name, Class: f.class, Value: page.FormatCount(f.n)})
	}
	for _, week := range all.ByWeek {
		row := surveyRow{Totals: week.Totals, Day: week.Monday, Compactions: week.Compactions, Bar: page.Segments(week.Totals, max(week.Totals.Known, 1))}
		v.Weeks = append([]surveyRow{row}, v.Weeks...)
	}
	v.Weeks = v.Weeks[:min(len(v.Weeks), surveyWeeks)]
	for _, session := range all.BySession[:len(all.BySession)-v.Hidden] {
		v.Sessions = append(v.Sessions, surveyRow{
			Totals: session.Totals, Title: session.Title, Path: s.path(projections.Target{Project: session.Project, Session: session.Session}), Project: s.list.projectName(session.Project),
			Day: s.time(int64(session.At), time.DateOnly), Compactions: session.Compactions, Bar: page.Segments(session.Totals, max(session.Known, 1)),
		})
	}
	if part {
		return s.write(w, r, "surveyed", v)
	}
	return s.show(w, r, "survey", s.say(r)("compactions", nil), "compactions", v)
}

// serveLostItems serves the items that the compactions of a session lost, and those that were only offered.
func (s *Server) serveLostItems(w http.ResponseWriter, r *http.Request) error {
	t := targetOf(r)
	report, err := s.histories.audit(r.Context(), t)
	if err != nil {
		return err
	}
	var all []knownItem
	for _, it := range slices.Concat(report.WithStatus(audit.Lost), report.WithStatus(audit.Offered)) {
		all = append(all, knownItem{Item: it, Path: s.path(t)})
	}
	return s.write(w, r, "things", all)
}
