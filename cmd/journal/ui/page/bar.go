package page

// barWidth is that of the drawing, in its own units.
const barWidth = 400

// Segment is a part of a bar, and how many things it stands for.
type Segment struct {
	X, Width float64
	Class    string
	Title    string
	N        int
}

// Segments cuts a share into what became of it; most fills the whole width.
func (s Share) Segments(most int) []Segment {
	var all []Segment
	at := 0
	for _, part := range []Segment{
		{Class: "kept", Title: "kept", N: s.Kept},
		{Class: "back", Title: "brought back", N: s.GivenBack},
		{Class: "offered", Title: "offered: given, receipt unknown", N: s.Offered},
		{Class: "elsewhere", Title: "elsewhere", N: s.Known - s.Kept - s.GivenBack - s.Offered - s.Lost},
		{Class: "gone", Title: "lost", N: s.Lost},
	} {
		if part.N <= 0 {
			continue
		}
		part.X = round(float64(at) / float64(most) * barWidth)
		at += part.N
		part.Width = round(float64(at)/float64(most)*barWidth) - part.X
		all = append(all, part)
	}
	return all
}

// Plus adds up two shares.
func (s Share) Plus(o Share) Share {
	return Share{Known: s.Known + o.Known, Kept: s.Kept + o.Kept, Lost: s.Lost + o.Lost, GivenBack: s.GivenBack + o.GivenBack, Offered: s.Offered + o.Offered}
}
