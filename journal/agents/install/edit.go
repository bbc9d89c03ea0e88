package install

import "strings"

// mark is white space that no formatter writes at the places where it has a
// meaning here; see the package comment.
const mark = "  "

// insert puts an item after the last one of the container that ends chain.
// v is a field for an object and a value for an array.
func (s settings) insert(chain []*node, v any) settings {
	n, l := chain[len(chain)-1], s.layoutOf()
	p := s.placeIn(chain, l)
	var text string
	if f, ok := v.(field); ok {
		text = l.member(f, p.indent, p.multi)
	} else {
		text = l.render(v, p.indent, p.multi)
	}
	line := l.eol + p.indent

	if len(n.items) > 0 {
		lead := l.space
		if p.multi {
			lead = line
		}
		at := n.items[len(n.items)-1].end
		return s.splice(at, at, ","+lead+text)
	}

	before := s.inner(n)
	if !s.fresh || n != s.root {
		before += mark
	}
	if p.multi {
		text = line + text + l.eol + p.outer
	}
	return s.splice(n.start+1, n.end-1, before+text)
}

// unmark returns the white space that an empty container had before its first
// item came, given what now stands before that item. ok is false without a
// mark.
func unmark(lead string) (before string, ok bool) {
	if i := strings.LastIndexByte(lead, '\n'); i >= 0 {
		if before, ok = strings.CutSuffix(lead[:i], mark); ok {
			return before, true
		}
		lead = strings.TrimSuffix(lead[:i], "\r")
	}
	return strings.CutSuffix(lead, mark)
}

// remove takes item i out of the container that ends chain. A container that
// it leaves empty becomes what it was, or goes too when it was not there.
func (s settings) remove(chain []*node, i int) settings {
	n := chain[len(chain)-1]
	switch {
	case i > 0:
		return s.splice(n.items[i-1].end, n.items[i].end, "")
	case len(n.items) > 1:
		return s.splice(n.items[0].start, n.items[1].start, "")
	}
	if before, ok := unmark(string(s.src[n.start+1 : n.items[0].start])); ok {
		return s.splice(n.start+1, n.end-1, before)
	}
	if len(chain) == 1 {
		s.bare = true
		return s.splice(n.start+1, n.end-1, "")
	}
	chain = chain[:len(chain)-1]
	return s.remove(chain, chain[len(chain)-1].indexOf(n))
}

// replace puts other text in the place of a node.
func (s settings) replace(n *node, text string) settings { return s.splice(n.start, n.end, text) }
