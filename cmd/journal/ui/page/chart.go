package page

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"time"

	"journal/events/text"
	"journal/replay/timeline"
)

// The drawing is as wide as there is room for: places from left to right are percentages
// of it. Heights are pixels. The curve stands below top, lanes below it.
const (
	top    = 30
	room   = 160 // of the curve, unless somebody says otherwise
	lane   = 18
	gap    = 6
	breaks = 1000 // samples that are nearer to each other are one
	bare   = 30   // height of the place of a curve that there is not
	apart  = 0.3  // percent: marks of a kind that are nearer to each other are told as one
)

// titleBytes bounds what a tooltip says of a mark.
const titleBytes = 160

// maxLanes bounds how many lines subagents stand in.
const maxLanes = 6

// Drawing is what a chart shows.
type Drawing struct {
	timeline.Timeline
	Info, Urgent int              // the levels of context usage in percent, 0 none
	Shares       map[uint64]Share // what compactions lost, by their sequence
	Room         int              // height of the curve; 0: 160
	Zone         *time.Location   // of the times
	Times        []int64          // of each place, ns since 1970 UTC; nil: no times are drawn
	Path         string           // of the session's page; empty: nothing leads anywhere
	Say          Say
}

// Chart is the drawing, ready for the template "chart".
type Chart struct {
	Height, Top, Floor, Room   int
	Curve, Area                string // SVG paths within Scale by 100, empty without samples
	Scale                      int
	Tokens                     bool // the height is tokens: nobody knows the window
	Grid                       []level
	Lanes                      []level // below the curve
	Lane                       int     // their height
	Compactions, Compounds     []sign
	Notices, Prompts, Failures []sign
	Phases, Subagents          []band
	Ticks                      []sign // times, below everything; and pauses, over all of it
	Path                       string
}

// level is a horizontal line.
type level struct {
	Y     float64
	Label string // of a lane: the name of a phrase
	Class string
}

// sign is something at one place.
type sign struct {
	X      float64 // percent
	Y      float64 // pixels
	Seq    uint64
	Place  int
	Label  string
	Title  string
	Anchor string // on which side of X a label stands
	Class  string // of a compaction: what came of what it dropped, empty where something is lost
	Share  Share  // of a compaction
	n      int
}

// band is a stretch of a lane.
type band struct {
	X, Width     float64 // percent
	Y            float64
	Seq          uint64
	Label, Title string
	Open         bool // it goes on
}

// ChartOf draws.
func ChartOf(d Drawing) Chart {
	c := Chart{Path: d.Path, Top: top, Room: cmp.Or(d.Room, room), Scale: breaks, Lane: lane}
	c.Floor = top + c.Room
	t := d.Timeline
	full := scaleOf(t)
	c.Tokens = full > 0
	if len(t.Points) == 0 {
		d.Info, d.Urgent, c.Room = 0, 0, bare
		c.Floor = top + bare
	}
	for q := range 5 {
		if len(t.Points) == 0 {
			break
		}
		l := level{Y: c.y(float64(q) / 4), Label: fmt.Sprintf("%d %%", q*25), Class: "grid"}
		if c.Tokens {
			l.Label = tokens(full * int64(q) / 4)
		}
		if q == 0 || !c.Tokens && (near(q*25, d.Info) || near(q*25, d.Urgent)) {
			l.Label = "" // a level says nearly the same there
		}
		c.Grid = append(c.Grid, l)
	}
	for _, l := range []struct {
		percent int
		class   string
	}{{d.Info, "info"}, {d.Urgent, "urgent"}} {
		if l.percent > 0 && !c.Tokens {
			c.Grid = append(c.Grid, level{Y: c.y(float64(l.percent) / 100), Class: l.class, Label: fmt.Sprintf("%d %%", l.percent)})
		}
	}
	c.Curve, c.Area = curve(t, full)
	c.marks(d, full)
	c.lanes(d)
	c.times(d)
	return c
}

// near says whether the labels of two percentages would touch.
func near(a, b int) bool { return b > 0 && a-b < 12 && b-a < 12 }

const (
	ticks = 8             // stretches between times
	night = 4 * time.Hour // a pause of at least so long is marked
)

// times draws when it was: some times at even places, and the day where a pause ended.
func (c *Chart) times(d Drawing) {
	if len(d.Times) < 2 {
		return
	}
	add := func(place int, layout, class, title string) {
		s := sign{X: x(d.Timeline, place), Y: float64(c.Height + 11), Label: time.Unix(0, d.Times[place]).In(d.Zone).Format(layout), Title: title, Class: class, Anchor: "middle"}
		if s.X < 4 {
			s.Anchor = "start"
		} else if s.X > 96 {
			s.Anchor = "end"
		}
		if n := len(c.Ticks); n == 0 || c.Ticks[n-1].Label != s.Label {
			c.Ticks = append(c.Ticks, s)
		}
	}
	for i := 1; i < len(d.Times); i++ {
		if gap := time.Duration(d.Times[i] - d.Times[i-1]); gap >= night {
			add(i, "01-02", "pause", d.Say("pause", int(gap/time.Hour)))
		}
	}
	for q := range ticks + 1 {
		add(q*(len(d.Times)-1)/ticks, "15:04", "", "")
	}
	c.Height += 16
}

// became says in a word what came of what a compaction dropped: what is lost first, else what
// was only offered, else what came back.
func became(of Share) (label, class string) {
	switch {
	case of.Lost > 0:
		return fmt.Sprintf("−%d", of.Lost), ""
	case of.Offered > 0:
		return fmt.Sprintf("?%d", of.Offered), "offered"
	}
	return fmt.Sprintf("+%d", of.GivenBack), "back"
}

// marks draws what happened.
func (c *Chart) marks(d Drawing, full int64) {
	t := d.Timeline
	usage := 0
	for i, m := range t.Marks {
		for usage < len(t.Points) && t.Points[usage].Seq < m.Seq {
			usage++
		}
		used := 0.0 // before the mark: what it was about
		if usage > 0 {
			used = share(t.Points[usage-1], full)
		}
		s := sign{X: x(t, m.Place), Y: c.y(used), Seq: m.Seq, Place: m.Place, Title: d.title(m), Anchor: "middle", n: 1}
		if s.X < 4 {
			s.Anchor = "start"
		} else if s.X > 96 {
			s.Anchor = "end"
		}
		switch m.Kind {
		case timeline.Compaction:
			if of := d.Shares[m.Seq]; of.Lost+of.GivenBack+of.Offered > 0 {
				s.Share = of
				s.Label, s.Class = became(of)
				s.Title += "\n" + d.Say("share", d.Shares[m.Seq])
			}
			c.Compactions = append(c.Compactions, s)
		case timeline.Compound:
			c.Compounds = d.join(c.Compounds, s)
		case timeline.Notice:
			c.Notices = d.join(c.Notices, s)
		case timeline.Prompt:
			c.Prompts = d.join(c.Prompts, s)
		case timeline.Failure:
			c.Failures = d.join(c.Failures, s)
		case timeline.Phase:
			c.Phases = append(c.Phases, phaseBand(t, i, s))
		}
	}
}

// join adds a sign to those of its kind; where one stands already it is told with it.
func (d Drawing) join(all []sign, s sign) []sign {
	if i := len(all) - 1; i >= 0 && s.X-all[i].X < apart {
		all[i].n++
		first, _, _ := strings.Cut(all[i].Title, "\n… ")
		all[i].Title = first + "\n… " + d.Say("and-more", all[i].n-1)
		return all
	}
	return append(all, s)
}

// lanes gives what stands below the curve its places.
func (c *Chart) lanes(d Drawing) {
	at := float64(c.Floor + gap)
	next := func(label string, there int, set func(i int)) {
		if there == 0 {
			return
		}
		c.Lanes = append(c.Lanes, level{Y: at, Label: label})
		for i := range there {
			set(i)
		}
		at += lane + gap
	}
	next("lane-phases", len(c.Phases), func(i int) { c.Phases[i].Y = at })
	next("lane-prompts", len(c.Prompts), func(i int) { c.Prompts[i].Y = at })
	next("lane-failures", len(c.Failures), func(i int) { c.Failures[i].Y = at })
	next("lane-subagents", min(len(d.Subagents), 1), func(int) {
		lines := 0
		c.Subagents, lines = subagents(d, at)
		at += float64(lines-1) * subagentLine
	})
	c.Height = int(at)
}

// subagentLine is the height of one line of subagents.
const subagentLine = 14

// subagents draws each as a band in the first line where there is room, from a height on.
func subagents(d Drawing, at float64) (all []band, lines int) {
	var ends []float64
	for _, s := range d.Subagents {
		b := band{X: x(d.Timeline, s.From), Seq: s.First, Label: s.Type, Open: !s.Ended}
		b.Width = max(round(x(d.Timeline, s.To)-b.X), 0.4)
		b.Title = fmt.Sprintf("#%d–#%d %s %s", s.First, s.Last, s.Type, s.Lane)
		line := len(ends)
		for i, end := range ends {
			if end <= b.X {
				line = i
				break
			}
		}
		if line == len(ends) && line < maxLanes {
			ends = append(ends, 0)
		}
		line = min(line, maxLanes-1)
		ends[line] = max(ends[line], b.X+b.Width)
		b.Y = at + float64(line)*subagentLine
		if b.Width < 8 {
			b.Label = ""
		}
		all = append(all, b)
	}
	return all, len(ends)
}

// scaleOf gives the tokens at the top of the chart where no window is known, and 0 where the
// top is the window: then percentages are drawn.
func scaleOf(t timeline.Timeline) int64 {
	var most int64
	for _, p := range t.Points {
		if p.Window > 0 {
			return 0
		}
		most = max(most, p.Tokens)
	}
	const step = 40_000 // a quarter is a round number
	return (most + step - 1) / step * step
}

func tokens(n int64) string {
	if n == 0 {
		return "0"
	}
	return fmt.Sprintf("%dk", n/1000)
}

// share is how full the context was, of what the chart shows in all.
func share(p timeline.Point, full int64) float64 {
	if full > 0 {
		return float64(p.Tokens) / float64(full)
	}
	return float64(p.Percent) / 100
}

// x is where a place stands, in percent.
func x(t timeline.Timeline, place int) float64 {
	return round(100 * float64(min(place, t.Events)) / float64(max(t.Events-1, 1)))
}

// y is where a share of the height stands, in pixels.
func (c *Chart) y(share float64) float64 { return round(float64(c.Floor) - share*float64(c.Room)) }

func round(v float64) float64 { return math.Round(v*10) / 10 }

// curve draws the usage as steps: it holds until the next sample says otherwise. Of samples
// at one break the highest is drawn and the last is gone on from.
func curve(t timeline.Timeline, full int64) (line, area string) {
	if len(t.Points) == 0 {
		return "", ""
	}
	var b strings.Builder
	first := 10 * x(t, t.Points[0].Place)
	for i := 0; i < len(t.Points); {
		at := x(t, t.Points[i].Place)
		most, last := 0.0, 0.0
		for ; i < len(t.Points) && x(t, t.Points[i].Place) == at; i++ {
			last = share(t.Points[i], full)
			most = max(most, last)
		}
		if b.Len() == 0 {
			fmt.Fprintf(&b, "M%g %g", 10*at, round(100-100*most))
		} else {
			fmt.Fprintf(&b, "H%g V%g", 10*at, round(100-100*most))
		}
		if last < most {
			fmt.Fprintf(&b, "V%g", round(100-100*last))
		}
	}
	fmt.Fprintf(&b, "H%d", breaks)
	line = b.String()
	return line, fmt.Sprintf("%s V100 H%g Z", line, first)
}

// phaseBand is the stretch from a phase to the next one, or to the end.
func phaseBand(t timeline.Timeline, i int, s sign) band {
	end, open := 100.0, true
	for _, m := range t.Marks[i+1:] {
		if m.Kind == timeline.Phase {
			end, open = x(t, m.Place), false
			break
		}
	}
	b := band{X: s.X, Width: round(max(end-s.X, 0.2)), Seq: s.Seq, Title: s.Title, Open: open}
	if b.Width > 6 {
		b.Label = short(t.Marks[i].Text, int(b.Width*1.2)) // of 1,000 pixels; a letter is some 6 wide
	}
	return b
}

func (d Drawing) title(m timeline.Mark) string {
	words := fmt.Sprintf("#%d %s", m.Seq, d.Say("mark-"+m.Kind, nil))
	if m.Text != "" {
		words += ": " + short(text.Visible(strings.Join(strings.Fields(m.Text), " ")), titleBytes)
	}
	if m.At != 0 {
		words += "\n" + time.Unix(0, m.At).In(d.Zone).Format(time.DateTime)
	}
	return words
}

// short gives the beginning of s, at most n bytes of it, cut at a whole character.
func short(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return s[:text.Before(s, n)] + "…"
}
