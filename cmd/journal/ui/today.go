package ui

import (
	"context"
	"net/http"
	"sync"
	"time"

	"journal/cmd/journal/cli"
	"journal/cmd/journal/cli/usage"
	"journal/cmd/journal/page"
	"journal/embedded/catalogue"
	"journal/journal"
	"journal/projections"
	"journal/replay/day"
)

// todayView is the page of a day.
type todayView struct {
	page.Day
	Date          string // of the day
	Weekday       int    // from 0, Sunday
	Name          string // today or yesterday; empty: any other
	Before, After string // the dates before and after; After is empty if it is in the future
	Newest        string // the last date on which anything happened, empty for none
}

// serveToday shows what happened on a day, by default today.
func (s *Server) serveToday(w http.ResponseWriter, r *http.Request) error {
	now := s.config.Now().In(s.config.Zone)
	from := cli.DayOf(now).From
	if given, err := cli.ParseTime(r.FormValue("day"), now); err == nil {
		from = cli.DayOf(given.From).From
	}
	v := todayView{Date: from.Format(time.DateOnly), Weekday: int(from.Weekday()), Before: from.AddDate(0, 0, -1).Format(time.DateOnly)}
	switch today := cli.DayOf(now).From; {
	case from.Equal(today):
		v.Name = "today"
	case from.Equal(today.AddDate(0, 0, -1)):
		v.Name = "yesterday"
	}
	if next := from.AddDate(0, 0, 1); !next.After(now) {
		v.After = next.Format(time.DateOnly)
	}
	sessions, unknown, newest, err := s.list.day(r.Context(), from, from.AddDate(0, 0, 1))
	if err != nil {
		return err
	}
	if newest != 0 {
		v.Newest = time.Unix(0, newest).In(s.config.Zone).Format(time.DateOnly)
	}
	v.Day = page.DayOf("", sessions, unknown, page.DayNames{
		Project: func(session day.Session) string { return s.list.projectName(session.Project) }, Short: journal.ShortID,
		Path: func(session day.Session) string {
			return s.path(projections.Target{Project: session.Project, Session: session.Session})
		},
	}, s.config.Zone, s.say(r))
	if r.FormValue("part") != "" {
		return s.write(w, r, "did", v)
	}
	return s.show(w, r, "today", s.say(r)("today", nil), "today", v)
}

// days caches what happened in sessions. A session is read again only after new events. It is safe for concurrent use.
type days struct {
	mu     sync.Mutex
	stream string
	from   time.Time
	of     map[projections.Target]dayKept
}

type dayKept struct {
	last uint64 // sequence of the session's newest event
	day.Session
	any bool
}

// day returns what happened between two times, the newest session first, the sessions whose usage is unknown, and when
// anything happened last.
func (c *sessionList) day(ctx context.Context, from, to time.Time) (all []day.Session, unknown []string, newest int64, err error) {
	c.mu.Lock()
	var rows []*catalogue.Row
	if err = c.read(ctx); err == nil {
		for _, r := range c.table.Rows() {
			newest = max(newest, r.Newest().At)
			if r.Newest().At >= from.UnixNano() && r.Began < to.UnixNano() {
				copied := *r
				rows = append(rows, &copied)
			}
		}
	}
	c.mu.Unlock()
	if err != nil {
		return nil, nil, 0, err
	}
	used, err := usage.Of(ctx, c.log, rows, from, to, nil)
	if err != nil {
		return nil, nil, 0, err
	}
	c.days.mu.Lock()
	defer c.days.mu.Unlock()
	if stream := c.log.Stream(); !c.days.from.Equal(from) || c.days.stream != stream {
		c.days.stream, c.days.from, c.days.of = stream, from, map[projections.Target]dayKept{}
	}
	for _, r := range rows {
		t := projections.Target{Project: r.Project, Session: r.ID}
		kept, known := c.days.of[t]
		if !known || kept.last != r.Last.Seq {
			kept.last = r.Last.Seq
			if kept.Session, kept.any, err = day.Of(ctx, c.log, t, from, to); err != nil {
				return nil, nil, 0, err
			}
			c.days.of[t] = kept
		}
		if kept.any {
			kept.Used = used.Used(r.Project, r.ID)
			all = append(all, kept.Session)
		}
	}
	day.Sort(all)
	return all, used.Unknown, newest, nil
}
