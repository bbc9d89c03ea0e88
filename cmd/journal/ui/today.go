package ui

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"

	"journal/cmd/journal/cli"
	"journal/cmd/journal/cli/usage"
	"journal/cmd/journal/page"
	"journal/embedded/catalogue"
	"journal/journal"
	"journal/projections"
	"journal/replay/audit"
	"journal/replay/day"
)

// todayView is the page of a day.
type todayView struct {
	page.Day
	Date           string // of the day
	Weekday        int    // from 0, Sunday
	Name           string // "today" or "yesterday"; empty for any other day
	Earlier, Later string // the nearest dates with work; empty: there is none
	Month          month
}

// month is a calendar page.
type month struct {
	Name          string // such as 2026-11
	Before, After string // a date in the months before and after; After is empty if that month has not begun
	Weeks         [][7]monthDay
}

// monthDay is a day of a calendar. The zero value is a day of another month.
type monthDay struct {
	N    int // day of the month
	Date string
	Work bool // a session was active
	Here bool // the page is about this day
}

// monthOf returns the calendar of the month with the day at. work holds the dates with work.
func monthOf(at, now time.Time, work map[string]bool) month {
	here := at.Format(time.DateOnly)
	first := time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC) // dates alone: a day of a zone may have no midnight
	m := month{Name: first.Format("2006-01"), Before: first.AddDate(0, 0, -1).Format(time.DateOnly)}
	next := first.AddDate(0, 1, 0)
	if date := next.Format(time.DateOnly); date <= now.Format(time.DateOnly) {
		m.After = date
	}
	for day := first; day.Before(next); day = day.AddDate(0, 0, 1) {
		weekday := (int(day.Weekday()) + 6) % 7 // from Monday
		if weekday == 0 || len(m.Weeks) == 0 {
			m.Weeks = append(m.Weeks, [7]monthDay{})
		}
		date := day.Format(time.DateOnly)
		m.Weeks[len(m.Weeks)-1][weekday] = monthDay{day.Day(), date, work[date], date == here}
	}
	return m
}

// serveToday shows the work on a day, by default today. With the form value part it serves only the work, with lost only a
// figure.
func (s *Server) serveToday(w http.ResponseWriter, r *http.Request) error {
	now := s.config.Now().In(s.config.Zone)
	whole := cli.DayOf(now)
	if given, err := cli.ParseTime(r.FormValue("day"), now); err == nil {
		whole = cli.DayOf(given.From)
	}
	from, to := whole.From, whole.To
	if name := r.FormValue("lost"); name != "" {
		return s.serveDayLost(w, r, name, from, to)
	}
	v := todayView{Date: from.Format(time.DateOnly), Weekday: int(from.Weekday())}
	switch today := cli.DayOf(now).From; {
	case from.Equal(today):
		v.Name = "today"
	case to.Equal(today):
		v.Name = "yesterday"
	}
	did, err := s.list.day(r.Context(), from, to)
	if err != nil {
		return err
	}
	work := map[string]bool{}
	for _, at := range did.times {
		date := s.time(at, time.DateOnly)
		work[date] = true
		switch {
		case date < v.Date:
			v.Earlier = max(v.Earlier, date)
		case date > v.Date && (v.Later == "" || date < v.Later):
			v.Later = date
		}
	}
	v.Month = monthOf(from, now, work)
	v.Day = page.DayOf("", did.sessions, did.unknown, func(shown *page.DaySession, session day.Session) {
		target := projections.Target{Project: session.Project, Session: session.Session}
		shown.Project, shown.ID, shown.Path = s.list.projectName(session.Project), journal.ShortID(session.Session), s.path(target)
		shown.Live = !did.ended[target] && now.Sub(session.To.Time()) < liveFor
		shown.Resume = s.resume(session.Agent, session.Session, session.Root)
	}, s.config.Zone, s.say(r))
	// The script requests each path only once: last makes it a new one after new events.
	path := s.base + "/?day=" + v.Date + "&last=" + strconv.FormatUint(did.last, 10) + "&lost="
	v.Figures = append(v.Figures, page.Figure{Name: "restored", Class: "back", Path: path + "restored"}, page.Figure{Name: "lost", Class: "gone", Path: path + "lost"})
	if r.FormValue("part") != "" {
		return s.write(w, r, "did", v)
	}
	return s.show(w, r, "today", s.say(r)("today", nil), "today", v)
}

// serveDayLost serves the figure with the name restored or lost, for the compactions of a day.
func (s *Server) serveDayLost(w http.ResponseWriter, r *http.Request, name string, from, to time.Time) error {
	var sum audit.Totals
	left, err := s.list.eachAudit(r.Context(), true, func(row *catalogue.Row) bool { return overlaps(row, from, to) }, func(_ *catalogue.Row, session audit.Sum) {
		for _, c := range session.Compactions {
			if at := c.At.Time(); !at.Before(from) && at.Before(to) {
				sum = sum.Plus(c.Totals)
			}
		}
	})
	if err != nil {
		return err
	}
	more := ""
	if left > 0 {
		more = r.URL.RequestURI() + leftParam(left)
	}
	return s.write(w, r, "figure", lostFigure(name, sum, more))
}

// days caches the work of sessions on one day of one log. A session is read again only after new events. The mutex guards all
// fields.
type days struct {
	mu       sync.Mutex
	stream   string
	from     time.Time // beginning of the day
	sessions map[projections.Target]cachedDay
}

// cachedDay is the work of one session on a day.
type cachedDay struct {
	last uint64 // sequence of the session's newest event
	day.Session
	any bool // the session worked on the day
}

// overlaps reports whether a session was active between two times.
func overlaps(r *catalogue.Row, from, to time.Time) bool {
	return r.Newest().At >= from.UnixNano() && r.Began < to.UnixNano()
}

// dayWork is the work of all sessions between two times.
type dayWork struct {
	sessions []day.Session               // the newest first
	unknown  []string                    // sessions whose usage is unknown
	times    []int64                     // when the sessions that a person worked in began and ended, on any day
	ended    map[projections.Target]bool // whether a session has ended
	last     uint64                      // sequence of the sessions' newest event
}

// day returns the work of all sessions between two times.
func (c *sessionList) day(ctx context.Context, from, to time.Time) (d dayWork, err error) {
	d.ended = map[projections.Target]bool{}
	all, err := c.rows(ctx)
	if err != nil {
		return d, err
	}
	for _, r := range all {
		if r.Asked {
			d.times = append(d.times, r.Began, r.Newest().At)
		}
	}
	rows := active(all, from, to)
	used, err := usage.Of(ctx, c.log, rows, from, to)
	if err != nil {
		return d, err
	}
	d.unknown = used.Unknown
	c.days.mu.Lock()
	defer c.days.mu.Unlock()
	if stream := c.log.Stream(); !c.days.from.Equal(from) || c.days.stream != stream {
		c.days.stream, c.days.from, c.days.sessions = stream, from, map[projections.Target]cachedDay{}
	}
	for _, r := range rows {
		t := projections.Target{Project: r.Project, Session: r.ID}
		kept, known := c.days.sessions[t]
		if !known || kept.last != r.Last.Seq {
			kept.last = r.Last.Seq
			if kept.Session, kept.any, err = day.Of(ctx, c.log, t, from, to); err != nil {
				return d, err
			}
			c.days.sessions[t] = kept
		}
		d.ended[t], d.last = r.Info.Ended, max(d.last, r.Last.Seq)
		if kept.any {
			kept.Used = used.Used(r.Project, r.ID)
			d.sessions = append(d.sessions, kept.Session)
		}
	}
	day.Sort(d.sessions)
	return d, nil
}
