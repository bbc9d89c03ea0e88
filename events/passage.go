package events

import "strings"

// Passage is what was changed of a file in one place, by which the place is found again: its line numbers move with every
// change above it.
type Passage struct {
	// Lines are the first of the changed lines, without the space around them. Of what was only removed it is the line
	// before that.
	Lines []string `json:"lines"`
	Count int      `json:"count,omitempty"` // how many lines were changed
}

const (
	// passageLines is how many lines tell a place from others, passageBytes the longest that is kept whole, and
	// maxPassages how many places of one call are told.
	passageLines = 3
	passageBytes = 160
	maxPassages  = 8
)

// PassageOf says what differs between two texts that one replaces the other. ok is false when that is nothing that could be
// found again.
func PassageOf(old, new string) (p Passage, ok bool) {
	was, is := strings.Split(old, "\n"), strings.Split(new, "\n")
	from := 0
	for from < min(len(was), len(is)) && was[from] == is[from] {
		from++
	}
	to := len(is)
	for n := len(was); n > from && to > from && was[n-1] == is[to-1]; n-- {
		to--
	}
	p.Count = to - from
	if p.Count == 0 && from > 0 { // something was removed
		from--
	}
	for _, line := range is[from:] {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if len(line) > passageBytes {
			return p, len(p.Lines) > 0
		}
		if p.Lines = append(p.Lines, line); len(p.Lines) == passageLines {
			break
		}
	}
	return p, len(p.Lines) > 0
}

// passagesIn gives a call changed of one file, by the texts that it replaced.
func (c *ToolCall) passagesIn(path string) (all []Passage) {
	for _, r := range c.Replaced {
		if p, ok := PassageOf(r.Old, r.New); ok && r.Path == path && len(all) < maxPassages {
			all = append(all, p)
		}
	}
	return all
}

// Replaced is a text in a file in whose place another one stands now.
type Replaced struct{ Path, Old, New string }
