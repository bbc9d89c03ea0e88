package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"journal/events/text"
	"journal/replay/audit"
	"journal/replay/timeline"
)

// The drawing fills the available width: horizontal positions are percentages of it. Heights are pixels. The curve is below
// top, lanes are below the curve.
const (
	top         = 30   // space for labels above the curve
	room        = 160  // default height of the curve
	lane        = 18   // height of a lane
	gap         = 6    // space between two lanes
	curveUnits  = 1000 // width of the curve in units of its own drawing: tenths of a percent
	emptyRoom   = 30   // height of the empty space if there is no curve
	mergeWithin = 0.6  // percent: marks of one kind that are nearer to each other are merged
)

// titleColumns bounds the text of a mark in its tooltip.
const titleColumns = 64

// maxSubagentLines bounds the lines of subagents.
const maxSubagentLines = 6

// Drawing holds the data that a chart shows.
type Drawing struct {
	timeline.Timeline
	Info, Urgent int                     // the levels of notices in percent, 0 for none: of CompactsAt if that is known, else of the window
	Shares       map[uint64]audit.Totals // the totals of compactions, by their sequence
	Room         int                     // height of the curve; 0: the default
	Zone         *time.Location          // of the times
	Times        []int64                 // time of each event, ns since 1970 UTC; nil: no times are drawn
	Path         string                  // of the session's page; empty: there are no links
	Clock        bool                    // the horizontal axis is time, not the number of events; needs Times
	Say          Say
}

// Chart is a chart as it is drawn, for the template "chart".
type Chart struct {
	Height            int    // of the whole chart
	Top, Floor, Room  int    // upper end, lower end and height of the curve
	Curve, Area       string // SVG paths in a drawing of Scale by 100 units; empty without samples
	Scale             int
	Tokens            bool // the vertical axis is in tokens, because the window is unknown
	Compacts          int  // percent at which the client compacts by itself; 0 for unknown
	Grid              []level
	Lanes             []level           // labels of the lanes below the curve
	Lane              int               // height of a lane
	Signs             map[string][]sign // by the kind of their marks
	Phases, Subagents []band
	Ticks             []sign // times at the bottom, and pauses over the whole height
	Path              string
	Xs                []float64 // if the axis is time: the horizontal position of each Step-th event, for a script
	Step              int
}

// level is a horizontal line, or the upper end of a lane.
type level struct {
	Y     float64
	Label string // of a lane: the name of a phrase
	Class string // CSS class
}

// sign is a mark at one place.
type sign struct {
	X      float64 // percent
	Y      float64 // pixels
	Seq    uint64
	Place  int // index of the event
	Label  string
	Title  string       // tooltip
	Anchor string       // text-anchor of the label at X
	Class  string       // CSS class: of a compaction that of shareMark
	Share  audit.Totals // of a compaction
	n      int          // number of marks for which it stands
}

// band is a stretch of a lane, for a phase or a subagent.
type band struct {
	X, Width     float64 // percent
	Y            float64
	Label, Title string
	Open         bool // the subagent has not ended
}

// ChartOf returns the chart of a drawing.
func ChartOf(d Drawing) Chart {
	c := Chart{Path: d.Path, Top: top, Room: cmp.Or(d.Room, room), Scale: curveUnits, Lane: lane}
	c.Floor = top + c.Room
	t := d.Timeline
	atTop := scaleOf(t)
	c.Tokens, c.Compacts = atTop > 0, t.CompactsAt
	if len(t.Points) == 0 {
		d.Info, d.Urgent, c.Room = 0, 0, emptyRoom
		c.Floor = top + emptyRoom
	}
	if t.CompactsAt > 0 { // the levels are percent of that usage
		d.Info, d.Urgent = d.Info*t.CompactsAt/100, d.Urgent*t.CompactsAt/100
	}
	c.grid(d, atTop)
	c.Curve, c.Area = d.curve(atTop)
	c.marks(d, atTop)
	c.lanes(d)
	c.times(d)
	if d.Clock {
		c.Step = 1 + len(d.Times)/maxXs
		for place := 0; place < len(d.Times); place += c.Step {
			c.Xs = append(c.Xs, d.x(place))
		}
	}
	return c
}

// grid draws the horizontal lines: quarters of the height, the levels of notices, and the usage at which the client compacts. A
// label that would touch that of a more important line is left out.
func (c *Chart) grid(d Drawing, atTop int64) {
	type limit struct {
		percent int // 0 for none
		class   string
	}
	limits := []limit{{d.Info, "info"}, {d.Urgent, "urgent"}, {d.CompactsAt, "compacts"}} // the most important last
	touches := func(percent int, others []limit) bool {
		return slices.ContainsFunc(others, func(l limit) bool { return near(percent, l.percent) })
	}
	for q := 0; q < 5 && len(d.Points) > 0; q++ {
		line := level{Y: c.y(float64(q) / 4), Label: fmt.Sprintf("%d %%", q*25), Class: "grid"}
		if c.Tokens {
			line.Label = tokens(atTop * int64(q) / 4)
		}
		if q == 0 || !c.Tokens && touches(q*25, limits) {
			line.Label = ""
		}
		c.Grid = append(c.Grid, line)
	}
	for i, l := range limits {
		if l.percent == 0 || c.Tokens {
			continue
		}
		line := level{Y: c.y(float64(l.percent) / 100), Class: l.class}
		if !touches(l.percent, limits[i+1:]) {
			line.Label = fmt.Sprintf("%d %%", l.percent)
		}
		c.Grid = append(c.Grid, line)
	}
}

// maxXs bounds the positions in Chart.Xs.
const maxXs = 500

// labelRoom is the part of the curve's height that a label needs, in percent.
const labelRoom = 12

// near reports whether the labels of two percentages would touch. A percentage b of 0 has no label.
func near(a, b int) bool { return b > 0 && a-b < labelRoom && b-a < labelRoom }

const (
	ticks     = 8             // number of stretches between the times below the chart
	tickRoom  = 16            // height of these times
	longPause = 4 * time.Hour // the shortest pause that is marked
)

// times draws some times at even distances, and the date after each long pause.
func (c *Chart) times(d Drawing) {
	if len(d.Times) < 2 {
		return
	}
	add := func(place int, layout, class, title string) {
		const baseline = 11 // pixels from the upper end of the times
		s := sign{X: d.x(place), Y: float64(c.Height + baseline), Label: time.Unix(0, d.Times[place]).In(d.Zone).Format(layout), Title: title, Class: class}
		s.Anchor = anchor(s.X)
		if n := len(c.Ticks); n == 0 || c.Ticks[n-1].Label != s.Label {
			c.Ticks = append(c.Ticks, s)
		}
	}
	for i := 1; i < len(d.Times); i++ {
		if pause := time.Duration(d.Times[i] - d.Times[i-1]); pause >= longPause {
			add(i, "01-02", "pause", d.Say("pause", int(pause/time.Hour)))
		}
	}
	first, last := d.Times[0], d.Times[len(d.Times)-1]
	layout := "15:04"
	if d.Clock && time.Duration(last-first) > 24*time.Hour {
		layout = "01-02 15:04"
	}
	for q := range ticks + 1 {
		place := q * (len(d.Times) - 1) / ticks
		if d.Clock {
			place, _ = slices.BinarySearch(d.Times, first+int64(q)*(last-first)/ticks)
		}
		add(place, layout, "", "")
	}
	c.Height += tickRoom
}

// anchor returns the text-anchor with which a label at a horizontal position has room.
func anchor(x float64) string {
	switch {
	case x < 4:
		return "start"
	case x > 96:
		return "end"
	}
	return "middle"
}

// shareMark returns a label with the number of a compaction's lost items, and its CSS class. If none is lost, the label has the
// number of offered ones; without these, that of restored ones.
func shareMark(totals audit.Totals) (label, class string) {
	switch {
	case totals.Lost > 0:
		return fmt.Sprintf("−%d", totals.Lost), ""
	case totals.Offered > 0:
		return fmt.Sprintf("?%d", totals.Offered), "offered"
	}
	return fmt.Sprintf("+%d", totals.Restored), "back"
}

// marks draws the marks of the timeline.
func (c *Chart) marks(d Drawing, atTop int64) {
	t := d.Timeline
	c.Signs = map[string][]sign{}
	usage := 0
	for i, m := range t.Marks {
		for usage < len(t.Points) && t.Points[usage].Seq < m.Seq {
			usage++
		}
		used := 0.0 // usage of the context before the mark, as a share of the curve's height
		if usage > 0 {
			used = share(t.Points[usage-1], atTop)
		}
		s := sign{X: d.x(m.Place), Y: c.y(used), Seq: m.Seq, Place: m.Place, Title: d.title(m), n: 1}
		s.Anchor = anchor(s.X)
		switch m.Kind {
		case timeline.Compaction:
			if totals := d.Shares[m.Seq]; totals.Lost+totals.Restored+totals.Offered > 0 {
				s.Share = totals
				s.Label, s.Class = shareMark(totals)
				s.Title += "\n" + d.Say("share", totals)
			}
			c.Signs[m.Kind] = append(c.Signs[m.Kind], s)
		case timeline.Phase:
			c.Phases = append(c.Phases, d.phaseBand(i, s))
		case timeline.Rewind: // not drawn
		default:
			c.Signs[m.Kind] = d.join(c.Signs[m.Kind], s)
		}
	}
}

// join adds a sign to those of its kind. If the last of these is nearer than mergeWithin, that one counts it instead.
func (d Drawing) join(all []sign, s sign) []sign {
	if i := len(all) - 1; i >= 0 && s.X-all[i].X < mergeWithin {
		all[i].n++
		first, _, _ := strings.Cut(all[i].Title, "\n… ")
		all[i].Title = first + "\n… " + d.Say("and-more", all[i].n-1)
		return all
	}
	return append(all, s)
}

// lanes sets the vertical positions of everything below the curve, and the height of the chart.
func (c *Chart) lanes(d Drawing) {
	height := float64(c.Floor + gap)
	addLane := func(label string, count int) (y float64) { // adds a lane if it has anything
		y = height
		if count > 0 {
			c.Lanes = append(c.Lanes, level{Y: y, Label: label})
			height += lane + gap
		}
		return y
	}
	y := addLane("lane-phases", len(c.Phases))
	for i := range c.Phases {
		c.Phases[i].Y = y
	}
	for _, kind := range []string{timeline.Prompt, timeline.Failure} {
		y := addLane("lane-"+kind+"s", len(c.Signs[kind]))
		for i := range c.Signs[kind] {
			c.Signs[kind][i].Y = y
		}
	}
	all, lines := subagents(d, addLane("lane-subagents", len(d.Subagents)))
	c.Subagents, c.Height = all, int(height)+max(0, lines-1)*subagentLine
}

// subagentLine is the height of one line of subagents.
const subagentLine = 14

// subagents draws each subagent as a band in the first line with room for it. begin is the height of the first line. If no line
// has room, the band goes over others in the last line.
func subagents(d Drawing, begin float64) (all []band, lines int) {
	var ends []float64
	for _, s := range d.Subagents {
		b := band{X: d.x(s.From), Label: s.Type, Open: !s.Ended}
		b.Width = max(round(d.x(s.To)-b.X), 0.4)
		b.Title = fmt.Sprintf("#%d–#%d %s %s", s.First, s.Last, s.Type, s.Lane)
		line := slices.IndexFunc(ends, func(end float64) bool { return end <= b.X })
		if line < 0 {
			line = len(ends)
		}
		if line == len(ends) && line < maxSubagentLines {
			ends = append(ends, 0)
		}
		line = min(line, maxSubagentLines-1)
		ends[line] = max(ends[line], b.X+b.Width)
		b.Y = begin + float64(line)*subagentLine
		if b.Width < 8 { // percent: a label would be cut
			b.Label = ""
		}
		all = append(all, b)
	}
	return all, len(ends)
}

// scaleOf returns the tokens at the upper end of the curve if no window is known. If a window is known it returns 0: then
// percentages of the window are drawn.
func scaleOf(t timeline.Timeline) int64 {
	var most int64
	for _, p := range t.Points {
		if p.Window > 0 {
			return 0
		}
		most = max(most, p.Tokens)
	}
	const step = 40_000 // so that a quarter is a round number
	return (most + step - 1) / step * step
}

// tokens formats a number of tokens as a label of the axis.
func tokens(n int64) string {
	if n == 0 {
		return "0"
	}
	return fmt.Sprintf("%dk", n/1000)
}

// share returns the usage of a sample as a share of the curve's height. atTop is the result of scaleOf: the tokens at the curve's
// upper end.
func share(p timeline.Point, atTop int64) float64 {
	if atTop > 0 {
		return float64(p.Tokens) / float64(atTop)
	}
	return float64(p.Percent) / 100
}

// x returns the horizontal position of an event, in percent. place is the index of the event.
func (d Drawing) x(place int) float64 {
	if n := len(d.Times); d.Clock && n > 0 {
		first := d.Times[0]
		return round(100 * float64(d.Times[min(place, n-1)]-first) / float64(max(d.Times[n-1]-first, 1)))
	}
	return round(100 * float64(min(place, d.Events)) / float64(max(d.Events-1, 1)))
}

// y returns the vertical position of a share of the curve's height, in pixels.
func (c *Chart) y(share float64) float64 { return round(float64(c.Floor) - share*float64(c.Room)) }

// round rounds to a tenth.
func round(v float64) float64 { return math.Round(v*10) / 10 }

// curve draws the usage as steps: a sample holds until the next one. Of several samples at one place it draws the highest, and
// continues from the last. It returns the line, and the area below it.
func (d Drawing) curve(atTop int64) (line, area string) {
	t := d.Timeline
	if len(t.Points) == 0 {
		return "", ""
	}
	var b strings.Builder
	first := 10 * d.x(t.Points[0].Place)
	for i := 0; i < len(t.Points); {
		px := d.x(t.Points[i].Place)
		most, last := 0.0, 0.0
		for ; i < len(t.Points) && d.x(t.Points[i].Place) == px; i++ {
			last = share(t.Points[i], atTop)
			most = max(most, last)
		}
		if b.Len() == 0 {
			fmt.Fprintf(&b, "M%g %g", 10*px, round(100-100*most))
		} else {
			fmt.Fprintf(&b, "H%g V%g", 10*px, round(100-100*most))
		}
		if last < most {
			fmt.Fprintf(&b, "V%g", round(100-100*last))
		}
	}
	fmt.Fprintf(&b, "H%d", curveUnits)
	line = b.String()
	return line, fmt.Sprintf("%s V100 H%g Z", line, first)
}

// phaseBand returns the band from the phase mark i to the next phase, or to the end. s is the sign of the mark.
func (d Drawing) phaseBand(i int, s sign) band {
	end := 100.0
	for _, m := range d.Marks[i+1:] {
		if m.Kind == timeline.Phase {
			end = d.x(m.Place)
			break
		}
	}
	b := band{X: s.X, Width: round(max(end-s.X, 0.2)), Title: s.Title}
	if b.Width > 6 {
		b.Label = text.CutColumns(d.Marks[i].Text, 1+int(b.Width*1.2)) // 8 pixels for each letter on a chart 1,000 pixels wide
	}
	return b
}

// title returns the tooltip of a mark.
func (d Drawing) title(m timeline.Mark) string {
	words := fmt.Sprintf("#%d %s", m.Seq, d.Say("mark-"+m.Kind, nil))
	if m.Text != "" {
		words += ": " + text.CutColumns(text.Visible(text.Line(m.Text)), titleColumns)
	}
	if m.At != 0 {
		words += "\n" + time.Unix(0, m.At).In(d.Zone).Format(time.DateTime)
	}
	return words
}
