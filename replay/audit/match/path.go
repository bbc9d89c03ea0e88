package match

import "strings"

// path matches a file by the longest end of its path that no other file of the session has. A base name needs a dot.
func (m *Matcher) path(path string) *Match {
	ends := kept(&m.keep.paths, path, endsOf)
	if !m.summary.plain.mayHold(ends[len(ends)-1]) { // all end with it
		return nil
	}
	for i, end := range ends {
		n := len(ends) - i
		if n == 1 && !strings.Contains(end, ".") {
			return nil // an ordinary word
		}
		for from, to := range m.summary.plain.find(end) {
			if m.summary.plain.pathBorder(from, to, n == len(ends)) && m.only(end) {
				p := m.summary.plain
				return m.summary.match("path", p.from[from], p.to[to-1], float64(n)/float64(len(ends)))
			}
		}
	}
	return nil
}

// endsOf lists the ends of a path, longest first.
func endsOf(path string) (ends []string) {
	end := strings.Trim(plainOf(path).text, "/")
	for {
		ends = append(ends, end)
		_, shorter, more := strings.Cut(end, "/")
		if !more {
			return ends
		}
		end = shorter
	}
}

// file returns the path if the text is one, apart from asides, else "". A plan can be a list of files.
func (it *said) file() string {
	path := ""
	for _, t := range it.tokens {
		switch {
		case t.aside:
		case path != "" || t.script != exact || !strings.Contains(t.form, "/") || !strings.Contains(t.form, "."):
			return ""
		default:
			path = it.text[t.from:t.to]
		}
	}
	return path
}

// only reports whether at most one file of the session has an end.
func (m *Matcher) only(end string) bool {
	if m.ends == nil {
		m.ends = map[string]int{}
		for _, it := range m.items {
			if it.way != byPath {
				continue
			}
			for _, end := range kept(&m.keep.paths, it.text, endsOf) {
				m.ends[end]++
			}
		}
	}
	return m.ends[end] <= 1
}

// pathBorder reports whether a path there is not part of a longer one.
func (p *plain) pathBorder(from, to int, whole bool) bool {
	before, after := p.byteAt(from-1), p.byteAt(to)
	up := p.byteAt(from - 2) // a path from the project's root may begin with a slash
	if isNameByte(before) || before == '.' || before == '/' && !whole && (isNameByte(up) || up >= 0x80 || up == '.' || up == '~' || up == '/' || up == '*' || up == '}') {
		return false
	}
	return !isNameByte(after) && after != '/' && (after != '.' || !isNameByte(p.byteAt(to+1)))
}
