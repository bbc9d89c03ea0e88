package projections

import (
	"slices"
	"strings"

	"journal/events"
	"journal/events/text"
)

// Bounds of what a checkpoint tells of the situation that it was made in (S0.9).
const (
	maxBrief      = 300 // UTF-16 units of a text
	maxActive     = 10  // files
	maxPoints     = 5   // decisions that a checkpoint tells
	keptDecisions = 20  // newest decisions that are remembered for it
)

// Situation is what a lane was about: the text of automatic checkpoints.
type Situation struct {
	Asked, Said string // last by the person, and by the agent
	Files       []string
	Decided     []Point
}

// Point is a decision.
type Point struct {
	Text string
	Seq  uint64
}

func (s Situation) summary() string {
	if s.Said != "" {
		return s.Said
	}
	return s.Asked
}

// brief gives the beginning of a text on one line.
func brief(s string) string {
	return text.CutUnits(text.Line(text.CutUnits(s, 4*maxBrief)), maxBrief)
}

// ending gives the last paragraph of a text, in which an agent says where it is.
func ending(s string) string {
	s = strings.TrimSpace(s)
	return brief(s[strings.LastIndex(s, "\n\n")+1:])
}

func (s Situation) wrote(path string) Situation {
	files := append(make([]string, 0, maxActive+1), path)
	for _, f := range s.Files {
		if f != path && len(files) < maxActive {
			files = append(files, f)
		}
	}
	s.Files = files
	return s
}

func (s Situation) moved(e events.FileMoved) Situation {
	var files []string
	for _, f := range s.Files {
		if to, _ := renamed(f, e); !slices.Contains(files, to) {
			files = append(files, to)
		}
	}
	s.Files = files
	return s
}

func (s Situation) decided(what string, at At) Situation {
	p := Point{brief(what), at.Seq}
	if slices.ContainsFunc(s.Decided, func(o Point) bool { return o.Text == p.Text }) {
		return s
	}
	s.Decided = append(slices.Clone(s.Decided[max(0, len(s.Decided)+1-keptDecisions):]), p)
	return s
}

// undecided forgets the decision with a sequence.
func (s Situation) undecided(seq uint64) Situation {
	if i := slices.IndexFunc(s.Decided, func(p Point) bool { return p.Seq == seq }); i >= 0 {
		s.Decided = slices.Delete(slices.Clone(s.Decided), i, i+1)
	}
	return s
}

func (s Situation) keyPoints() []string {
	var points []string
	for _, p := range slices.Backward(s.Decided) {
		if len(points) < maxPoints {
			points = append(points, p.Text)
		}
	}
	return points
}
