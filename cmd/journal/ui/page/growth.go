package page

import (
	"fmt"
	"strings"
	"time"

	"journal/events"
	"journal/projections"
)

// Growing notes how many working notes and how much lasting knowledge a project has as its
// log goes on. The zero value has seen nothing.
type Growing struct {
	points []stand
}

// stand is how many of each there are from an event on.
type stand struct {
	at                        int64
	notes, waiting, knowledge int
}

// See looks at a fold of notes and knowledge after an event that may have changed them.
func (g *Growing) See(f *projections.Fold, e events.Envelope) {
	switch e.Type {
	case events.TypeOf[events.FileObserved](), events.TypeOf[events.NoteRecorded](), events.TypeOf[events.CompoundFinished](), events.TypeOf[events.CompoundRequested]():
	default:
		return
	}
	flow := projections.Flow.In(f)
	now := stand{at: e.At, waiting: len(flow.Waiting()), notes: len(flow.Entries) - len(flow.Lost()), knowledge: projections.Stock.In(f).Confidence().Entries}
	if n := len(g.points); n > 0 && now.at < g.points[n-1].at {
		now.at = g.points[n-1].at // an import tells of the past late
	}
	g.points = append(g.points, now)
}

// Growth is the drawing of it, for the template "growth".
type Growth struct {
	Notes, Waiting, Knowledge string // SVG paths within 1000 by 100; empty without points
	Most                      int    // at the top
	Ends                      struct{ Notes, Waiting, Knowledge int }
	From, To                  string // days
}

// Draw draws it by time.
func (g *Growing) Draw(zone *time.Location) (d Growth) {
	if len(g.points) == 0 {
		return d
	}
	first, last := g.points[0], g.points[len(g.points)-1]
	for _, p := range g.points {
		d.Most = max(d.Most, p.notes, p.waiting, p.knowledge)
	}
	d.From, d.To = time.Unix(0, first.at).In(zone).Format(time.DateOnly), time.Unix(0, last.at).In(zone).Format(time.DateOnly)
	d.Ends.Notes, d.Ends.Waiting, d.Ends.Knowledge = last.notes, last.waiting, last.knowledge
	line := func(of func(stand) int) string {
		var b strings.Builder
		for i, p := range g.points {
			x := round(1000 * float64(p.at-first.at) / float64(max(last.at-first.at, 1)))
			y := round(100 - 96*float64(of(p))/float64(max(d.Most, 1)))
			if i == 0 {
				fmt.Fprintf(&b, "M%g %g", x, y)
			} else if of(p) != of(g.points[i-1]) {
				fmt.Fprintf(&b, "H%g V%g", x, y)
			}
		}
		return b.String() + "H1000"
	}
	d.Notes = line(func(s stand) int { return s.notes })
	d.Waiting = line(func(s stand) int { return s.waiting })
	d.Knowledge = line(func(s stand) int { return s.knowledge })
	return d
}
