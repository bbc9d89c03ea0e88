package page

import (
	"fmt"
	"strings"
	"time"

	"journal/events/text"
	"journal/replay/timeline"
)

// The drawing's units. The curve stands between top and floor; phases and prompts
// have a lane each below it.
const (
	width  = 1000
	left   = 40
	right  = 10
	top    = 34
	floor  = 234
	phases = 246 // upper edge of the lane of phases
	lane   = 18
	ticks  = 272 // upper edge of the lane of prompts
	height = 300
)

// titleBytes bounds what a tooltip says of a mark.
const titleBytes = 240

// chart is the drawing: the order of the log from left to right, the usage of the
// context upwards.
type chart struct {
	Width, Height, Left, Right, Top, Floor int
	Curve                                  string // SVG path, empty without samples
	Tokens                                 bool   // the height is tokens: nobody knows the window
	Area                                   string
	Grid                                   []level
	Compactions, Compounds, Notices        []sign
	Phases                                 []band
	Prompts                                []sign
	PromptsY, PromptsEnd                   int
}

// level is a horizontal line.
type level struct {
	Y     float64
	Label string
	Class string
}

// sign is something at one place.
type sign struct {
	X, Y  float64
	Label string
	Title string
}

// band is a stretch of a lane.
type band struct {
	X, Y, Width, Height float64
	Label, Title        string
}

func chartOf(d Doc) chart {
	c := chart{
		Width: width, Height: height, Left: left, Right: width - right, Top: top, Floor: floor,
		PromptsY: ticks, PromptsEnd: ticks + lane,
	}
	t := d.Timeline
	full := scaleOf(t)
	c.Tokens = full > 0
	for q := range 5 {
		l := level{Y: y(float64(q) / 4), Label: fmt.Sprintf("%d %%", q*25), Class: "grid"}
		if c.Tokens {
			l.Label = tokens(full * int64(q) / 4)
		}
		c.Grid = append(c.Grid, l)
	}
	for _, l := range []struct {
		percent int
		class   string
	}{{d.Info, "info"}, {d.Urgent, "urgent"}} {
		if l.percent > 0 && !c.Tokens {
			c.Grid = append(c.Grid, level{Y: y(float64(l.percent) / 100), Class: l.class})
		}
	}
	c.Curve, c.Area = curve(t, full)
	shares := map[uint64]Share{}
	for _, one := range d.Compactions {
		shares[one.Seq] = one.Share
	}
	v := view{Doc: d}
	for i, m := range t.Marks {
		s := sign{X: x(t, m.Seq), Y: y(usageAt(t, full, m.Seq)), Title: title(v, m)}
		switch m.Kind {
		case timeline.Compaction:
			if n := shares[m.Seq].Lost; n > 0 {
				s.Label = fmt.Sprintf("−%d", n)
				s.Title += fmt.Sprintf("\nof %d things worth keeping %d lost", shares[m.Seq].Known, n)
			}
			c.Compactions = append(c.Compactions, s)
		case timeline.Compound:
			c.Compounds = append(c.Compounds, s)
		case timeline.Notice:
			c.Notices = append(c.Notices, s)
		case timeline.Prompt:
			c.Prompts = append(c.Prompts, s)
		case timeline.Phase:
			c.Phases = append(c.Phases, phaseBand(t, i, s))
		}
	}
	return c
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

// x is where a place in the log stands; y is where a share of the height does.
func x(t timeline.Timeline, seq uint64) float64 {
	span := max(1, float64(t.Last)-float64(t.First))
	at := min(max(float64(seq)-float64(t.First), 0), span)
	return round(left + at/span*(width-left-right))
}

func y(share float64) float64 { return round(floor - share*(floor-top)) }

func round(v float64) float64 { return float64(int(v*10+0.5)) / 10 }

// curve draws the usage as steps: it holds until the next sample says otherwise.
func curve(t timeline.Timeline, full int64) (line, area string) {
	if len(t.Points) == 0 {
		return "", ""
	}
	var b strings.Builder
	for i, p := range t.Points {
		if i == 0 {
			fmt.Fprintf(&b, "M%g %g", x(t, p.Seq), y(share(p, full)))
			continue
		}
		fmt.Fprintf(&b, "H%g V%g", x(t, p.Seq), y(share(p, full)))
	}
	fmt.Fprintf(&b, "H%d", width-right)
	line = b.String()
	return line, fmt.Sprintf("%s V%d H%g Z", line, floor, x(t, t.Points[0].Seq))
}

// usageAt is the usage before a place, that is what a compaction or a notice there
// was about.
func usageAt(t timeline.Timeline, full int64, seq uint64) (used float64) {
	for _, p := range t.Points {
		if p.Seq >= seq {
			break
		}
		used = share(p, full)
	}
	return used
}

// phaseBand is the stretch from a phase to the next one, or to the end.
func phaseBand(t timeline.Timeline, i int, s sign) band {
	end := float64(width - right)
	for _, m := range t.Marks[i+1:] {
		if m.Kind == timeline.Phase {
			end = x(t, m.Seq)
			break
		}
	}
	b := band{X: s.X, Y: phases, Width: round(max(end-s.X, 1)), Height: lane, Title: s.Title}
	if b.Width > 60 {
		b.Label = short(t.Marks[i].Text, int(b.Width/8)) // a letter is some 6 wide
	}
	return b
}

func title(v view, m timeline.Mark) string {
	words := fmt.Sprintf("#%d %s", m.Seq, m.Kind)
	if m.Text != "" {
		words += ": " + short(strings.Join(strings.Fields(m.Text), " "), titleBytes)
	}
	if m.At != 0 {
		words += "\n" + time.Unix(0, m.At).In(v.Zone).Format(time.DateTime)
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
