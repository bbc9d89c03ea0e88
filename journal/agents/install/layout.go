package install

import (
	"bytes"
	"strconv"
	"strings"
)

// layout is how a file is written, as far as one rule holds for all of it.
type layout struct {
	eol   string // "\n" or "\r\n"
	unit  string // one step of indentation
	space string // after a colon, and after a comma on one line: " " or ""
}

// layoutOf reads the layout off the text. What the text does not show is two
// spaces, "\n" and a space after the colon, the form in which the agent itself
// writes settings.
func (s settings) layoutOf() layout {
	l := layout{eol: "\n", unit: "  ", space: " "}
	if i := bytes.IndexByte(s.src, '\n'); i > 0 && s.src[i-1] == '\r' {
		l.eol = "\r\n"
	}
	if unit, ok := s.unitIn(s.root, ""); ok {
		l.unit = unit
	}
	if len(s.root.items) > 0 {
		// The text between key and value ends in the colon or in white space.
		if first := s.root.items[0]; s.plain[first.value.start-1] == ':' {
			l.space = ""
		}
	}
	return l
}

// unitIn looks for the first container that is written on several lines and
// returns by how much its items are indented against it.
func (s settings) unitIn(n *node, outer string) (string, bool) {
	if len(n.items) == 0 {
		return "", false
	}
	indent, multi := indentation(s.lead(n, 0))
	if multi {
		if unit, ok := strings.CutPrefix(indent, outer); ok && unit != "" {
			return unit, true
		}
		outer = indent
	}
	for _, it := range n.items {
		if unit, ok := s.unitIn(it.value, outer); ok {
			return unit, true
		}
	}
	return "", false
}

// lead returns the white space before item i of n, blanks for comments.
func (s settings) lead(n *node, i int) string {
	from := n.start + 1
	if i > 0 {
		between := s.plain[n.items[i-1].end:n.items[i].start]
		from = n.items[i-1].end + bytes.IndexByte(between, ',') + 1
	}
	return string(s.plain[from:n.items[i].start])
}

// inner returns what stands in an empty container: white space, and comments.
func (s settings) inner(n *node) string { return string(s.src[n.start+1 : n.end-1]) }

// indentation returns what follows the last line end in white space. multi is
// false when there is no line end.
func indentation(space string) (indent string, multi bool) {
	i := strings.LastIndexByte(space, '\n')
	return space[i+1:], i >= 0
}

// place is where the next item of a container goes.
type place struct {
	indent string // of the item's line
	outer  string // of the closing bracket's line
	multi  bool   // each item has a line of its own
}

// placeIn returns the place in the last container of chain, in which each
// node is a value in the one before it and the first is the root. A container
// with items shows its own form; an empty one has the form of its parent.
func (s settings) placeIn(chain []*node, l layout) place {
	p := place{multi: true}
	for i, n := range chain {
		if i > 0 {
			p.outer = p.indent
		}
		if last := len(n.items) - 1; last >= 0 {
			p.indent, p.multi = indentation(s.lead(n, last))
			continue
		}
		p.multi = p.multi || strings.Contains(s.inner(n), "\n")
		p.indent = p.outer + l.unit
	}
	return p
}

// object, array, string and int are what we write.
type (
	object []field
	array  []any
	field  struct {
		key   string
		value any
	}
)

// render writes a value whose first line is indented by indent.
func (l layout) render(v any, indent string, multi bool) string {
	switch v := v.(type) {
	case object:
		parts := make([]string, len(v))
		for i, f := range v {
			parts[i] = l.member(f, indent+l.unit, multi)
		}
		return l.enclose("{", parts, "}", indent, multi)
	case array:
		parts := make([]string, len(v))
		for i, e := range v {
			parts[i] = l.render(e, indent+l.unit, multi)
		}
		return l.enclose("[", parts, "]", indent, multi)
	case string:
		return quoteJSON(v)
	case int:
		return strconv.Itoa(v)
	default:
		panic("install: settings are written with objects, arrays, strings and ints only")
	}
}

// member writes a member of an object.
func (l layout) member(f field, indent string, multi bool) string {
	return quoteJSON(f.key) + ":" + l.space + l.render(f.value, indent, multi)
}

func (l layout) enclose(open string, parts []string, closing, indent string, multi bool) string {
	if !multi {
		return open + strings.Join(parts, ","+l.space) + closing
	}
	line := l.eol + indent + l.unit
	return open + line + strings.Join(parts, ","+line) + l.eol + indent + closing
}
